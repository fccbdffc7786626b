import { describe, expect, it } from "vitest";
import { world } from "../../testing/world.js";

/** Two teams on two nodes, an agent in its node's network, and two pods that have finished. */
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: b, stage: ""}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}, status: {phase: Running, podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: other, labels: {app: other}}, spec: {nodeName: n1}, status: {phase: Pending, podIP: 10.1.0.3}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: server, labels: {app: server}}, spec: {nodeName: n2}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: agent, labels: {app: agent}}, spec: {nodeName: n2, hostNetwork: true}, status: {podIP: 192.168.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: done, labels: {app: server}}, status: {phase: Succeeded, podIP: 10.1.0.8}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: crashed, labels: {app: server}}, status: {phase: Failed, podIP: 10.1.0.9}}
`;

const admin = (name: string, rules: string, subject = "{namespaces: {}}") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}},
    spec: {tier: Admin, priority: 10, subject: ${subject}, ${rules}}}`;

const networkPolicy = (name: string, namespace: string, spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: ${namespace}, name: ${name}}, spec: {${spec}}}`;

const given = (...policies: readonly string[]) => world([cluster, ...policies].join("\n---\n"));

const closed = networkPolicy("closed", "b", "podSelector: {}, policyTypes: [Ingress]");

describe("one direction", () => {
  const port = (number: number) => `protocols: [{tcp: {destinationPort: {number: ${number}}}}]`;
  const stairs = admin(
    "stairs",
    `ingress: [
      {action: Deny, from: [{namespaces: {matchLabels: {team: a}}}], ${port(22)}},
      {action: Pass, from: [{namespaces: {matchLabels: {team: a}}}], ${port(80)}},
      {action: Deny, from: [{pods: {podSelector: {matchLabels: {app: client}}}}]},
      {action: Accept, from: [{namespaces: {}}]}]`,
    "{namespaces: {matchLabels: {team: b}}}",
  );

  it.each([
    ["S1.1: Deny ends the walk", "a/client -> b/server:22/TCP", "Deny", "ClusterNetworkPolicy stairs"],
    [
      "S1.1: Pass leaves the tier, and later rules of it with it",
      "a/client -> b/server:80/TCP",
      "Deny",
      "isolation by NetworkPolicy b/closed",
    ],
    [
      "S1.1: a rule whose port does not match is skipped",
      "a/client -> b/server:443/TCP",
      "Deny",
      "ClusterNetworkPolicy stairs",
    ],
    [
      "S1.1: a rule whose peer does not match is skipped; Allow ends the walk",
      "a/other -> b/server:443/TCP",
      "Allow",
      "ClusterNetworkPolicy stairs",
    ],
    [
      "S1.1: a rule whose subject does not match is skipped",
      "b/server -> a/client:22/TCP",
      "Allow",
      "default",
    ],
  ])("%s", (_, question, verdict, decidedBy) => {
    expect(given(stairs, closed).ask(question)).toMatchObject({ verdict, decidedBy });
  });

  it("S1.2: no rule matched and the subject is isolated: denied by all policies that isolate it", () => {
    const also = networkPolicy("also", "b", "podSelector: {matchLabels: {app: server}}");
    const elsewhere = networkPolicy("elsewhere", "b", "podSelector: {matchLabels: {app: x}}");
    expect(given(closed, also, elsewhere).ask("a/client -> b/server:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy b/also, NetworkPolicy b/closed",
    });
  });

  it("S1.2: isolation is for one direction", () => {
    expect(given(closed).verdict("b/server -> a/client:80/TCP")).toBe("Allow");
  });

  it("S1.3: no rule matched and no isolation: the next tier, and after the last one Allow", () => {
    const unrelated = admin("unrelated", `ingress: [{action: Deny, from: [{namespaces: {}}], ${port(1)}}]`);
    const question = "a/client -> b/server:80/TCP";
    expect(given(unrelated, closed).ask(question).decidedBy).toBe("isolation by NetworkPolicy b/closed");
    expect(given(unrelated).ask(question)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
    expect(given().ask(question)).toMatchObject({ verdict: "Allow", egress: "default", ingress: "default" });
  });
});

describe("both directions", () => {
  const egress = (action: string) => admin("out", `egress: [{action: ${action}, to: [{namespaces: {}}]}]`);
  const ingress = (action: string) => admin("in", `ingress: [{action: ${action}, from: [{namespaces: {}}]}]`);

  it.each([
    ["Accept", "Accept", "Allow"],
    ["Accept", "Deny", "Deny"],
    ["Deny", "Accept", "Deny"],
    ["Deny", "Deny", "Deny"],
  ])("S1.4: egress %s and ingress %s: %s", (out, into, verdict) => {
    expect(given(egress(out), ingress(into)).ask("a/client -> b/server:80/TCP")).toMatchObject({
      verdict,
      egress: "ClusterNetworkPolicy out",
      ingress: "ClusterNetworkPolicy in",
    });
  });

  const denyOut = admin("out", 'egress: [{action: Deny, to: [{networks: ["0.0.0.0/0"]}]}]');
  const denyIn = ["a", "b"].map((namespace) =>
    networkPolicy("in", namespace, "podSelector: {}, policyTypes: [Ingress]"),
  );
  const denyAll = [denyOut, ...denyIn];

  it.each([
    ["a host-network pod", "b/agent -> a/client:80/TCP"],
    ["a node", "node:n2 -> a/client:80/TCP"],
    ["an external address", "203.0.113.7 -> a/client:80/TCP"],
  ])("S1.4: %s as a source has no walk; the one at the destination decides", (_, question) => {
    expect(given(...denyAll).ask(question)).toMatchObject({
      verdict: "Deny",
      egress: "no-walk",
      ingress: "isolation by NetworkPolicy a/in",
    });
    expect(given(denyOut).ask(question)).toMatchObject({ verdict: "Allow", egress: "no-walk" });
  });

  it.each([
    ["a host-network pod", "a/client -> b/agent:80/TCP"],
    ["a node", "a/client -> node:n2:80/TCP"],
    ["an external address", "a/client -> 203.0.113.7:80/TCP"],
  ])("S1.4: %s as a destination has no walk; the one at the source decides", (_, question) => {
    expect(given(...denyAll).ask(question)).toMatchObject({
      verdict: "Deny",
      egress: "ClusterNetworkPolicy out",
      ingress: "no-walk",
    });
    expect(given(...denyIn).ask(question)).toMatchObject({ verdict: "Allow", ingress: "no-walk" });
  });

  it("S1.4: if neither endpoint has a walk, nothing can deny", () => {
    expect(given(...denyAll).ask("b/agent -> node:n1:80/TCP")).toMatchObject({
      verdict: "Allow",
      egress: "no-walk",
      ingress: "no-walk",
    });
  });

  it("S1.5: a reply needs no rule of its own: a server that may open nothing still answers", () => {
    const silent = networkPolicy("silent", "b", "podSelector: {}, policyTypes: [Egress]");
    const deaf = networkPolicy("deaf", "a", "podSelector: {}, policyTypes: [Ingress]");
    const w = given(silent, deaf);
    expect(w.verdict("a/client -> b/server:80/TCP")).toBe("Allow");
    expect(w.ask("b/server -> a/client:80/TCP")).toMatchObject({
      verdict: "Deny",
      egress: "isolation by NetworkPolicy b/silent",
      ingress: "isolation by NetworkPolicy a/deaf",
    });
  });
});

describe("S1.10: label selectors", () => {
  const expression = (key: string, operator: string, values?: string) =>
    `{matchExpressions: [{key: ${key}, operator: ${operator}${values === undefined ? "" : `, values: ${values}`}}]}`;

  /** Whether a selector of namespaces selects that of a/client, which has team=a, and that of b/server. */
  const selected = (selector: string) => {
    const w = given(
      admin("probe", `ingress: [{action: Deny, from: [{namespaces: ${selector}}]}]`, "{namespaces: {}}"),
    );
    return [
      w.verdict("a/client -> b/server:80/TCP") === "Deny",
      w.verdict("b/server -> a/client:80/TCP") === "Deny",
    ];
  };

  it.each([
    ["{} selects everything", "{}", [true, true]],
    ["empty parts select everything", "{matchLabels: {}, matchExpressions: []}", [true, true]],
    ["matchLabels", "{matchLabels: {team: a}}", [true, false]],
    ["an empty value is a value", '{matchLabels: {stage: ""}}', [false, true]],
    ["all of matchLabels", "{matchLabels: {team: b, stage: x}}", [false, false]],
    [
      "matchLabels and matchExpressions",
      "{matchLabels: {team: b}, matchExpressions: [{key: stage, operator: DoesNotExist}]}",
      [false, false],
    ],
    ["In", expression("team", "In", "[a, c]"), [true, false]],
    ["In needs the key", expression("stage", "In", "[x]"), [false, false]],
    ["NotIn", expression("team", "NotIn", "[a]"), [false, true]],
    ["NotIn is true where the key is absent", expression("stage", "NotIn", '[""]'), [true, false]],
    ["Exists", expression("stage", "Exists"), [false, true]],
    ["DoesNotExist", expression("stage", "DoesNotExist"), [true, false]],
    ["a key that objects inherit is absent", expression("toString", "DoesNotExist"), [true, true]],
    [
      "the name label is present without being written",
      "{matchLabels: {kubernetes.io/metadata.name: a}}",
      [true, false],
    ],
  ])("S1.10: %s", (_, selector, expected) => {
    expect(selected(selector)).toEqual(expected);
  });

  it("S1.10: the name label is the name, whatever the manifest claims", () => {
    const impostor =
      "{apiVersion: v1, kind: Namespace, metadata: {name: c, labels: {kubernetes.io/metadata.name: a}}}";
    const pod = "{apiVersion: v1, kind: Pod, metadata: {namespace: c, name: p}, status: {podIP: 10.1.0.5}}";
    const onlyA = networkPolicy(
      "only-a",
      "b",
      "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: a}}}]}]",
    );
    const w = given(impostor, pod, onlyA);
    expect(w.verdict("c/p -> b/server:80/TCP")).toBe("Deny");
    expect(w.verdict("a/client -> b/server:80/TCP")).toBe("Allow");
  });
});

describe("S1.11: pods that have finished", () => {
  it.each(["b/done", "b/crashed"])("S1.11: %s is not an endpoint", (pod) => {
    expect(() => given().ask(`a/client -> ${pod}:80/TCP`)).toThrow("TW1502");
    expect(() => given().ask(`${pod} -> a/client:80/TCP`)).toThrow("TW1502");
  });

  it("S1.11: nor is its old address", () => {
    const onlyPods = admin("pods", "egress: [{action: Deny, to: [{namespaces: {}}]}]");
    expect(given(onlyPods).ask("a/client -> 10.1.0.8:80/TCP")).toMatchObject({
      verdict: "Allow",
      ingress: "no-walk",
    });
  });

  it("S1.11: nor an endpoint of a Service that selects it", () => {
    const service =
      "{apiVersion: v1, kind: Service, metadata: {namespace: b, name: s}, spec: {clusterIP: 10.96.0.1, selector: {app: server}, ports: [{port: 80}]}}";
    const toServer = networkPolicy(
      "to-server",
      "a",
      "podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.1.0.2/32}}]}]",
    );
    expect(given(service, toServer).verdict("a/client -> b/svc/s:80/TCP")).toBe("Allow");
    expect(given(service, toServer).verdict("a/client -> 10.1.0.8:80/TCP")).toBe("Deny");
  });

  it("S1.11: one that is still starting is an endpoint", () => {
    expect(given().verdict("a/client -> a/other:80/TCP")).toBe("Allow");
  });
});

describe("pods that do not exist yet", () => {
  const sameNamespace = `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: self},
    spec: {priority: 1, subject: {namespaceSelector: {}}, ingress: [{action: Deny, from: [{namespaces: {self: true}}], l4Selector: {allPorts: true}}]}}`;

  it.each([
    ["a namespace by its name", "new:kubernetes.io/metadata.name=a/app=x -> a/client:80/TCP", "Deny"],
    ["another namespace by its name", "new:kubernetes.io/metadata.name=b/app=x -> a/client:80/TCP", "Allow"],
    [
      "a namespace with the labels of one that exists is not that one",
      "new:team=a/app=x -> a/client:80/TCP",
      "Allow",
    ],
    ["two new namespaces are not one", "new:team=a/app=x -> new:team=b/app=y:80/TCP", "Allow"],
  ])("S5.4: %s", (_, question, verdict) => {
    expect(given(sameNamespace).verdict(question)).toBe(verdict);
  });

  it("S1.10: a namespace that is named has the labels it has", () => {
    const teamA = admin(
      "team-a",
      "ingress: [{action: Deny, from: [{namespaces: {matchLabels: {team: a}}}]}]",
    );
    expect(given(teamA).verdict("new:kubernetes.io/metadata.name=a/app=x -> b/server:80/TCP")).toBe("Deny");
    expect(given(teamA).verdict("new:kubernetes.io/metadata.name=b/app=x -> b/server:80/TCP")).toBe("Allow");
    expect(given(teamA).verdict("new:team=a/app=x -> b/server:80/TCP")).toBe("Deny");
  });
});
