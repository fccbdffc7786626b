import { describe, expect, it } from "vitest";
import type { StateOptions } from "../../state/state.js";
import { problemsIn, world } from "../../../testing/world.js";

/* Section 6, verdict by verdict. */

// Quoted: `y` alone is a boolean to YAML 1.1, and to kubectl.
const namespace = (name: string, labels = "{}") =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: "${name}", labels: ${labels}}}`;
const pod = (path: string, labels = "{}", spec = "{}", status = "{}") => {
  const [inNamespace, name] = path.split("/");
  const metadata = `{namespace: "${inNamespace}", name: ${name}, labels: ${labels}}`;
  return `{apiVersion: v1, kind: Pod, metadata: ${metadata}, spec: ${spec}, status: ${status}}`;
};
const draft = (kind: string, name: string, spec: string) =>
  `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ${kind}, metadata: {name: ${name}}, spec: {${spec}}}`;
const guard = (name: string, spec: string) => draft("ClusterNetworkPolicy", name, spec);
const byDefault = (name: string, spec: string) => draft("ClusterDefaultNetworkPolicy", name, spec);
const networkPolicy = (path: string, spec: string) => {
  const [inNamespace, name] = path.split("/");
  const metadata = `{namespace: "${inNamespace}", name: ${name}}`;
  return `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: ${metadata}, spec: {${spec}}}`;
};
const together = (...documents: string[]) => documents.join("\n---\n");

const everywhere = "appliedTo: {namespaceSelector: {}}";
const named = (...names: string[]) =>
  `namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [${names.join()}]}]}`;
const onX = `appliedTo: {${named("x")}}`;
const from = (...names: string[]) => `from: [{${named(...names)}}]`;

const two = [namespace("a"), namespace("x"), pod("a/client"), pod("x/server")];
const decided = (policies: readonly string[], options: StateOptions = {}) => {
  const { verdict, decidedBy } = world(together(...two, ...policies), options).ask(
    "a/client -> x/server:80/TCP",
  );
  return `${verdict}: ${decidedBy}`;
};

describe("S6.7: the seed's precedence scenario", () => {
  const cluster = [
    ...["a", "b", "c", "d"].flatMap((name) => [namespace(name), pod(`${name}/client`)]),
    namespace("x"),
    pod("x/server"),
  ];
  const policies = [
    guard("one-empower", `${onX}, ingress: [{action: Empower, ${from("a")}}]`),
    guard("two-deny", `${onX}, ingress: [{action: Deny, ${from("a", "b")}}]`),
    guard("three-allow", `${onX}, ingress: [{action: Allow, ${from("b", "c")}}]`),
    networkPolicy("x/four", `podSelector: {}, ingress: [{from: [{podSelector: {}}, {${named("a")}}]}]`),
    byDefault("five", `${onX}, ingress: [{${from("d")}}]`),
  ];
  it.each([
    ["a", "Allow", "NetworkPolicy x/four"],
    ["b", "Deny", "ClusterNetworkPolicy two-deny"],
    ["c", "Allow", "ClusterNetworkPolicy three-allow"],
    ["d", "Deny", "isolation by NetworkPolicy x/four"],
  ])(
    "S6.7: %s/client -> x/server is %s by %s, in any order of the policies",
    (client, verdict, decidedBy) => {
      for (const order of [policies, [...policies.slice(2), ...policies.slice(0, 2)]])
        expect(
          world(together(...cluster, ...order)).ask(`${client}/client -> x/server:80/TCP`),
        ).toMatchObject({ verdict, decidedBy });
    },
  );
});

describe("S6.1: Empower, then Deny, then Allow", () => {
  it("S6.1: an Empower rule skips the Deny rules only: what it matches still meets the Allow rules", () => {
    const rules = "ingress: [{action: Deny}, {action: Allow}, {action: Empower}]";
    expect(decided([guard("g", `${onX}, ${rules}`)])).toBe("Allow: ClusterNetworkPolicy g");
    const isolate = networkPolicy("x/isolate", "podSelector: {}");
    expect(decided([guard("g", `${onX}, ingress: [{action: Deny}, {action: Empower}]`), isolate])).toBe(
      "Deny: isolation by NetworkPolicy x/isolate",
    );
  });

  it("S6.1: a Deny beats an Allow whatever the order and the names", () => {
    for (const [denier, allower] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const policies = [
        guard(denier, `${onX}, ingress: [{action: Deny}]`),
        guard(allower, `${onX}, ingress: [{action: Allow}]`),
      ];
      expect(decided(policies)).toBe(`Deny: ClusterNetworkPolicy ${denier}`);
    }
  });

  it("S6.1: an Allow precedes an AdminNetworkPolicy's Deny, and the mix is warned of", () => {
    const admin =
      "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: anp}, spec: " +
      "{priority: 0, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}";
    const allow = guard("g", `${onX}, ingress: [{action: Allow}]`);
    expect(decided([admin, allow])).toBe("Allow: ClusterNetworkPolicy g");
    const codes = problemsIn(together(...two, admin, allow)).map((problem) => problem.slice(0, 6));
    expect(codes).toContain("TW2006");
    // S1.13 is about priorities, and here there are none.
    expect(codes).not.toContain("TW2003");
  });
});

it("S6.2: podSelector narrows appliedTo, and nothing is isolated by a ClusterNetworkPolicy", () => {
  const subject = `appliedTo: {${named("x")}, podSelector: {matchLabels: {app: db}}}`;
  const w = world(
    together(
      ...two,
      pod("x/db", "{app: db}"),
      guard("g", `${subject}, ingress: [{action: Deny, ports: [{port: 80}]}]`),
    ),
  );
  expect(w.verdict("a/client -> x/db:80/TCP")).toBe("Deny");
  expect(w.ask("a/client -> x/db:81/TCP")).toMatchObject({ verdict: "Allow", decidedBy: "default" });
  expect(w.verdict("a/client -> x/server:80/TCP")).toBe("Allow");
});

describe("S6.3: peers and ports", () => {
  const outside = "203.0.113.7 -> x/server:80/TCP";
  const asked = (rule: string, question: string) =>
    world(together(...two, guard("g", `${onX}, ingress: [${rule}]`))).verdict(question);

  it("S6.3: missing or empty from is every source, external ones included", () => {
    expect(asked("{action: Deny}", outside)).toBe("Deny");
    expect(asked("{action: Deny, from: []}", outside)).toBe("Deny");
  });

  it("S6.3: selector peers never match external addresses, nodes or host-network pods", () => {
    const rule = "{action: Deny, from: [{namespaceSelector: {}}]}";
    expect(asked(rule, outside)).toBe("Allow");
    const node =
      "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 10.0.0.1}]}}";
    const agent = pod("a/agent", "{}", "{hostNetwork: true, nodeName: n1}", "{podIP: 10.0.0.1}");
    const w = world(
      together(
        ...two,
        node,
        agent,
        guard("g", `${onX}, ingress: [${rule}], egress: [{action: Deny, to: [{namespaceSelector: {}}]}]`),
      ),
    );
    expect(w.verdict("a/client -> x/server:80/TCP")).toBe("Deny");
    expect(w.verdict("a/agent -> x/server:80/TCP")).toBe("Allow");
    expect(w.verdict("x/server -> node:n1:80/TCP")).toBe("Allow");
    expect(w.verdict("x/server -> a/agent:80/TCP")).toBe("Allow");
  });

  it("S6.3: missing or empty ports are every port and protocol; a port without `port` is its whole protocol", () => {
    const denied = (ports: string) =>
      ["80/TCP", "80/UDP", "ICMP"].filter(
        (port) => asked(`{action: Deny${ports}}`, `a/client -> x/server:${port}`) === "Deny",
      );
    expect(denied("")).toEqual(["80/TCP", "80/UDP", "ICMP"]);
    expect(denied(", ports: []")).toEqual(["80/TCP", "80/UDP", "ICMP"]);
    expect(denied(", ports: [{protocol: UDP}]")).toEqual(["80/UDP"]);
    expect(denied(", ports: [{port: 80}]")).toEqual(["80/TCP"]);
  });
});

describe("S6.4: the scopes of namespaces", () => {
  const cluster = [
    namespace("t1-ns1", "{tenant: t1}"),
    namespace("t1-ns2", "{tenant: t1}"),
    namespace("t2-ns1", "{tenant: t2}"),
    namespace("infra"),
    ...["t1-ns1", "t1-ns2", "t2-ns1", "infra"].flatMap((name) => [
      pod(`${name}/server`),
      pod(`${name}/client`),
    ]),
  ];
  const reached = (namespaces: string, server = "t1-ns1") => {
    const w = world(
      together(...cluster, byDefault("d", `${everywhere}, ingress: [{from: [{namespaces: ${namespaces}}]}]`)),
    );
    return ["t1-ns1", "t1-ns2", "t2-ns1", "infra"].filter(
      (name) => w.verdict(`${name}/client -> ${server}/server:80/TCP`) === "Allow",
    );
  };

  it("S6.4: Self is the subject's own namespace, Selector selects, SameLabels compares as S5.4", () => {
    expect(reached("{scope: Self}")).toEqual(["t1-ns1"]);
    expect(reached("{scope: Selector, selector: {matchLabels: {tenant: t2}}}")).toEqual(["t2-ns1"]);
    expect(reached("{scope: SameLabels, labels: [tenant]}")).toEqual(["t1-ns1", "t1-ns2"]);
    expect(reached("{scope: SameLabels, labels: [tenant]}", "t2-ns1")).toEqual(["t2-ns1"]);
    expect(reached("{scope: SameLabels, labels: [tenant]}", "infra")).toEqual([]);
    expect(reached("{scope: SameLabels, labels: []}")).toEqual([]);
  });

  it("S6.4, S3.6: from a cluster an unknown scope fails closed", () => {
    const live: StateOptions = { provenance: "cluster" };
    const rule = (action: string) =>
      guard("g", `${onX}, ingress: [{action: ${action}, from: [{namespaces: {scope: NotSelf}}]}]`);
    expect(decided([rule("Deny")], live)).toBe("Deny: ClusterNetworkPolicy g");
    expect(decided([rule("Empower")], live)).toBe("Deny: ClusterNetworkPolicy g");
    const isolate = networkPolicy("x/isolate", "podSelector: {}");
    expect(decided([rule("Allow"), isolate], live)).toBe("Deny: isolation by NetworkPolicy x/isolate");
  });
});

describe("S6.5: ClusterDefaultNetworkPolicy", () => {
  const inOut = (spec: string) => {
    const w = world(together(...two, byDefault("d", `${onX}${spec}`)));
    return [w.verdict("a/client -> x/server:80/TCP"), w.verdict("x/server -> a/client:80/TCP")];
  };

  it.each([
    ["", ["Allow", "Allow"]],
    [", ingress: ", ["Deny", "Allow"]],
    [", ingress: []", ["Deny", "Allow"]],
    [", egress: ", ["Allow", "Deny"]],
    [", egress: []", ["Allow", "Deny"]],
    [", ingress: , egress: ", ["Deny", "Deny"]],
    [", ingress: [{}], egress: ", ["Allow", "Deny"]],
  ])("S6.5: `appliedTo…%s`: ingress and egress are %j", (spec, verdicts) => {
    expect(inOut(spec)).toEqual(verdicts);
  });

  it("S6.5: isolation covers external traffic", () => {
    const w = world(together(...two, byDefault("d", `${onX}, ingress: , egress: `)));
    expect(w.ask("203.0.113.7 -> x/server:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by ClusterDefaultNetworkPolicy d",
    });
    expect(w.verdict("x/server -> 203.0.113.7:443/TCP")).toBe("Deny");
  });

  it("S6.5: the policies are additive", () => {
    const none = byDefault("none", `${onX}, ingress: `);
    const [fromA, fromB] = [
      byDefault("from-a", `${onX}, ingress: [{${from("a")}}]`),
      byDefault("from-b", `${onX}, ingress: [{${from("b")}}]`),
    ];
    expect(decided([none, fromA, fromB])).toBe("Allow: ClusterDefaultNetworkPolicy from-a");
    expect(decided([none, fromB])).toBe(
      "Deny: isolation by ClusterDefaultNetworkPolicy from-b, ClusterDefaultNetworkPolicy none",
    );
  });

  it("S6.5: the seed's Self example allows its own pairs and denies the others; egress is not isolated", () => {
    const peer = "{namespaces: {scope: Self}, podSelector: {matchLabels: {app: b}}}";
    const w = world(
      together(
        namespace("x"),
        namespace("y"),
        ...["x/a1", "y/a2"].map((path) => pod(path, "{app: a}")),
        ...["x/b1", "y/b2"].map((path) => pod(path, "{app: b}")),
        byDefault("self", `${everywhere}, ingress: [{from: [${peer}]}]`),
      ),
    );
    const verdicts = ["x/b1 -> x/a1", "y/b2 -> y/a2", "y/b2 -> x/a1", "x/b1 -> y/a2"].map((pair) =>
      w.verdict(`${pair}:80/TCP`),
    );
    expect(verdicts).toEqual(["Allow", "Allow", "Deny", "Deny"]);
  });
});

describe("S6.6: a pod that a NetworkPolicy isolates never reaches cluster-default, per direction", () => {
  const closed = byDefault("d", `${onX}, ingress: , egress: `);

  it("S6.6: an ingress-only NetworkPolicy overrides the default's ingress", () => {
    const open = networkPolicy("x/open", "podSelector: {}, ingress: [{}]");
    expect(decided([closed, open])).toBe("Allow: NetworkPolicy x/open");
    const shut = networkPolicy("x/shut", "podSelector: {}");
    expect(decided([byDefault("d", `${onX}, ingress: [{}]`), shut])).toBe(
      "Deny: isolation by NetworkPolicy x/shut",
    );
  });

  it("S6.6: and keeps its egress isolation", () => {
    const w = world(together(...two, closed, networkPolicy("x/open", "podSelector: {}, ingress: [{}]")));
    expect(w.ask("x/server -> a/client:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by ClusterDefaultNetworkPolicy d",
    });
  });
});
