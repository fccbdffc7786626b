import { describe, expect, it } from "vitest";
import { readState, type StateOptions } from "../../state/state.js";
import type { DnsRecord } from "../../cluster/model.js";
import { parseAddress } from "../../net/address.js";
import { problemsIn, world } from "../../../testing/world.js";

/** Two tenants on two nodes, an agent in the host's network, and external addresses. */
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: b}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {role: worker}}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {role: control}}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: server, labels: {app: server}},
 spec: {nodeName: n2, containers: [{name: c, ports: [{name: web, containerPort: 8080}]}]}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: agent, labels: {app: agent}},
 spec: {nodeName: n2, hostNetwork: true}, status: {podIP: 192.168.0.2}}
`;

interface Policy {
  readonly name?: string;
  readonly tier?: string;
  readonly priority?: number;
  readonly subject?: string;
  readonly rules: string;
  readonly version?: string;
}

const policy = ({
  name = "guard",
  tier = "Admin",
  priority = 10,
  subject = "{namespaces: {}}",
  rules,
  version = "v1alpha2",
}: Policy): string =>
  `{apiVersion: policy.networking.k8s.io/${version}, kind: ClusterNetworkPolicy, metadata: {name: ${name}},
   spec: {tier: ${tier}, priority: ${priority}, subject: ${subject}, ${rules}}}`;

const isolateServer =
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: b, name: closed}, spec: {podSelector: {}}}";

const yaml = (...objects: readonly string[]) => [cluster, ...objects].join("\n---\n");
const given = (policies: readonly string[], options: StateOptions = {}) => world(yaml(...policies), options);
const denyFromPods = "ingress: [{action: Deny, from: [{namespaces: {}}]}]";
const acceptFromPods = "ingress: [{action: Accept, from: [{namespaces: {}}]}]";
const toServer = "a/client -> b/server:8080/TCP";

describe("order", () => {
  it("S3.2: the lower priority is evaluated first, within its tier", () => {
    const low = policy({ name: "z-first", priority: 1, rules: acceptFromPods });
    const high = policy({ name: "a-later", priority: 2, rules: denyFromPods });
    expect(given([high, low]).ask(toServer)).toMatchObject({
      verdict: "Allow",
      decidedBy: "ClusterNetworkPolicy z-first",
    });
  });

  it("S3.2: no priority lifts a policy out of its tier", () => {
    const baseline = policy({ name: "base", tier: "Baseline", priority: 0, rules: acceptFromPods });
    const admin = policy({ name: "top", priority: 1000, rules: denyFromPods });
    expect(given([baseline, admin]).ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "ClusterNetworkPolicy top",
    });
  });

  it("S1.13: one priority and one subject: by name, and reported", () => {
    const policies = [
      policy({ name: "second", rules: denyFromPods }),
      policy({ name: "first", rules: acceptFromPods }),
    ];
    expect(given(policies).ask(toServer)).toMatchObject({
      verdict: "Allow",
      decidedBy: "ClusterNetworkPolicy first",
    });
    expect(problemsIn(yaml(...policies)).join()).toContain("TW2003");
  });

  it("S1.12: with an AdminNetworkPolicy the priorities count, then the order of the APIs, and it is reported", () => {
    const anp = (priority: number) =>
      `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: a-older},
        spec: {priority: ${priority}, subject: {namespaces: {}}, ${denyFromPods}}}`;
    const cnp = policy({ name: "newer", priority: 10, rules: acceptFromPods });
    expect(given([cnp, anp(9)]).ask(toServer).decidedBy).toBe("AdminNetworkPolicy a-older");
    expect(given([cnp, anp(10)]).ask(toServer).decidedBy).toBe("ClusterNetworkPolicy newer");
    expect(problemsIn(yaml(cnp, anp(9))).join()).toContain("TW2004");
  });

  it("S1.1: the first rule that matches decides", () => {
    const rules = `ingress: [{action: Deny, from: [{namespaces: {matchLabels: {team: a}}}], protocols: [{tcp: {destinationPort: {number: 22}}}]},
      {action: Accept, from: [{namespaces: {}}]}]`;
    const w = given([policy({ rules })]);
    expect(w.verdict("a/client -> b/server:22/TCP")).toBe("Deny");
    expect(w.verdict("a/client -> b/server:22/UDP")).toBe("Allow");
    expect(w.verdict(toServer)).toBe("Allow");
  });

  it("S1.4: an Allow is final for its own direction only", () => {
    const out = policy({ name: "out", rules: "egress: [{action: Accept, to: [{namespaces: {}}]}]" });
    expect(given([out, isolateServer]).ask(toServer)).toMatchObject({
      verdict: "Deny",
      egress: "ClusterNetworkPolicy out",
      ingress: "isolation by NetworkPolicy b/closed",
    });
  });
});

describe("S3.3: Pass", () => {
  const pass = "ingress: [{action: Pass, from: [{namespaces: {}}]}]";

  it("S3.3: from admin to NetworkPolicy, over the rest of the tier", () => {
    const policies = [
      policy({ name: "pass", priority: 1, rules: pass }),
      policy({ name: "deny", priority: 2, rules: denyFromPods }),
    ];
    expect(given(policies).ask(toServer)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
    expect(given([...policies, isolateServer]).ask(toServer).decidedBy).toBe(
      "isolation by NetworkPolicy b/closed",
    );
  });

  it("S3.3: from admin to the baseline, if no NetworkPolicy applies", () => {
    const policies = [
      policy({ name: "pass", rules: pass }),
      policy({ name: "base", tier: "Baseline", rules: denyFromPods }),
    ];
    expect(given(policies).ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "ClusterNetworkPolicy base",
    });
  });

  it("S3.3: from the baseline to the default", () => {
    const policies = [
      policy({ name: "pass", tier: "baseline", priority: 1, rules: pass }),
      policy({ name: "deny", tier: "Baseline", priority: 2, rules: denyFromPods }),
    ];
    expect(given(policies).ask(toServer)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
  });

  it("S3.3: from the baseline to the first draft's default policies, where there are any", () => {
    const draft = `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterDefaultNetworkPolicy, metadata: {name: closed},
      spec: {appliedTo: {namespaceSelector: {}}, ingress: []}}`;
    const policies = [policy({ name: "pass", tier: "Baseline", rules: pass }), draft];
    expect(given(policies).ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by ClusterDefaultNetworkPolicy closed",
    });
  });
});

describe("S3.4: which pods are selected", () => {
  it("S3.4: a subject never includes host-network pods, which have no walk", () => {
    const w = given([
      policy({ rules: "egress: [{action: Deny, to: [{namespaces: {}}, {networks: [0.0.0.0/0]}]}]" }),
    ]);
    expect(w.verdict("b/agent -> a/client:80/TCP")).toBe("Allow");
    expect(w.verdict(toServer)).toBe("Deny");
  });

  it("S3.4: namespaces and pods never match host-network pods, nodes or external addresses", () => {
    const both = "[{namespaces: {}}, {pods: {podSelector: {}}}]";
    const w = given([
      policy({ rules: `ingress: [{action: Deny, from: ${both}}], egress: [{action: Deny, to: ${both}}]` }),
    ]);
    for (const other of ["b/agent", "node:n2", "203.0.113.9"]) {
      expect(w.verdict(`${other} -> a/client:80/TCP`)).toBe("Allow");
      expect(w.verdict(`a/client -> ${other}:80/TCP`)).toBe("Allow");
    }
  });

  it("S3.4: nodes match the selected nodes by any address, and their host-network pods", () => {
    const w = given([
      policy({ rules: "egress: [{action: Deny, to: [{nodes: {matchLabels: {role: control}}}]}]" }),
    ]);
    for (const target of ["node:n2", "192.168.0.2", "b/agent"])
      expect(w.verdict(`a/client -> ${target}:443/TCP`)).toBe("Deny");
    for (const target of ["node:n1", "192.168.0.9", "b/server"])
      expect(w.verdict(`a/client -> ${target}:443/TCP`)).toBe("Allow");
  });

  it("S3.4: networks match any address in them: external ones, nodes' and pods'", () => {
    const w = given([
      policy({
        rules: "egress: [{action: Deny, to: [{networks: [10.1.0.2/32, 192.168.0.2/32, 203.0.113.0/24]}]}]",
      }),
    ]);
    for (const target of ["b/server", "10.1.0.2", "node:n2", "b/agent", "203.0.113.9"])
      expect(w.verdict(`a/client -> ${target}:443/TCP`)).toBe("Deny");
    for (const target of ["node:n1", "198.51.100.1"])
      expect(w.verdict(`a/client -> ${target}:443/TCP`)).toBe("Allow");
  });

  it("S3.4: 0.0.0.0/0 does not match IPv6", () => {
    const deny = (cidr: string) =>
      given([policy({ rules: `egress: [{action: Deny, to: [{networks: ["${cidr}"]}]}]` })]);
    expect(deny("0.0.0.0/0").verdict("a/client -> 203.0.113.9:443/TCP")).toBe("Deny");
    expect(deny("0.0.0.0/0").verdict("a/client -> [2001:db8::1]:443/TCP")).toBe("Allow");
    expect(deny("::/0").verdict("a/client -> [2001:db8::1]:443/TCP")).toBe("Deny");
  });

  it("S3.8: without namespaceSelector, pods are those of every namespace", () => {
    const w = given([
      policy({ subject: "{pods: {podSelector: {matchLabels: {app: server}}}}", rules: denyFromPods }),
    ]);
    expect(w.verdict(toServer)).toBe("Deny");
    expect(w.verdict("b/server -> a/client:80/TCP")).toBe("Allow");
  });
});

describe("ports", () => {
  it("S1.7: a rule without ports matches ICMP, one with ports does not", () => {
    const deny = (more: string) =>
      given([policy({ rules: `ingress: [{action: Deny, from: [{namespaces: {}}]${more}}]` })]);
    expect(deny("").verdict("a/client -> b/server:ICMP")).toBe("Deny");
    expect(
      deny(", protocols: [{tcp: {destinationPort: {range: {start: 1, end: 65535}}}}]").verdict(
        "a/client -> b/server:ICMP",
      ),
    ).toBe("Allow");
  });

  it.each([
    ["Admin", "protocols: [{destinationNamedPort: web}]"],
    ["admin", "ports: [{namedPort: web}]"],
  ])("S1.8: a named port is the destination's own, in the spelling of tier %s", (tier, ports) => {
    const w = given([policy({ tier, rules: `egress: [{action: Deny, to: [{namespaces: {}}], ${ports}}]` })]);
    expect(w.verdict(toServer)).toBe("Deny");
    expect(w.verdict("a/client -> b/server:80/TCP")).toBe("Allow");
    expect(w.verdict("b/server -> a/client:8080/TCP")).toBe("Allow");
  });
});

describe("S3.1: the two spellings mean the same", () => {
  const seed = policy({
    tier: "admin",
    rules: `egress: [{action: Allow, to: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: server}}}}], ports: [{portNumber: {port: 80}}, {portRange: {protocol: UDP, start: 50, end: 60}}, {namedPort: web}]},
      {action: Pass, to: [{nodes: {}}]}, {action: Deny, to: [{networks: [0.0.0.0/0]}]}]`,
  });
  const released = policy({
    tier: "Admin",
    rules: `egress: [{action: Accept, to: [{pods: {podSelector: {matchLabels: {app: server}}}}], protocols: [{tcp: {destinationPort: {number: 80}}}, {udp: {destinationPort: {range: {start: 50, end: 60}}}}, {destinationNamedPort: web}]},
      {action: Pass, to: [{nodes: {}}]}, {action: Deny, to: [{networks: [0.0.0.0/0]}]}]`,
  });

  it.each([
    ["b/server:80/TCP", "Allow"],
    ["b/server:80/UDP", "Deny"],
    ["b/server:55/UDP", "Allow"],
    ["b/server:61/UDP", "Deny"],
    ["b/server:web", "Allow"],
    ["b/server:ICMP", "Deny"],
    ["node:n1:22/TCP", "Allow"],
    ["b/agent:22/TCP", "Allow"],
    ["203.0.113.9:443/TCP", "Deny"],
  ])("S3.1: a/client -> %s is %s in both", (target, verdict) => {
    expect([seed, released].map((text) => given([text]).verdict(`a/client -> ${target}`))).toEqual([
      verdict,
      verdict,
    ]);
  });
});

describe("S3.9: no isolation", () => {
  it("S3.9: what no rule matches continues with the next tier", () => {
    const w = given([
      policy({
        rules: "ingress: [{action: Accept, from: [{namespaces: {matchLabels: {team: none}}}]}], egress: []",
      }),
    ]);
    expect(w.ask(toServer)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
  });
});

describe("section 8: domain names", () => {
  const allowlist = (names: string) =>
    policy({
      rules: `egress: [{action: Accept, to: [{domainNames: ${names}}]}, {action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}]`,
    });
  const record = (name: string, ...addresses: readonly string[]): DnsRecord => ({
    name,
    addresses: addresses.flatMap((text) => parseAddress(text) ?? []),
  });
  const dns = [
    record("kubernetes.io", "203.0.113.1"),
    record("www.kubernetes.io", "203.0.113.2"),
    record("latest.blog.Kubernetes.io.", "203.0.113.3", "2001:db8::3"),
    record("my-kubernetes.io", "203.0.113.4"),
    record("server.kubernetes.io", "10.1.0.2"),
  ];
  const ask = (names: string, address: string) =>
    given([allowlist(names)], { facts: { dns } }).verdict(`a/client -> ${address}:443/TCP`);

  it.each([
    ["itself", "[kubernetes.io]", "203.0.113.1", "Allow"],
    ["nothing below it", "[kubernetes.io]", "203.0.113.2", "Deny"],
    ["nothing that only ends like it", "[kubernetes.io]", "203.0.113.4", "Deny"],
    ["whatever the case and a trailing dot", "[KUBERNETES.io.]", "203.0.113.1", "Allow"],
  ])("S8.1: kubernetes.io matches %s", (_, names, address, verdict) => {
    expect(ask(names, address)).toBe(verdict);
  });

  it.each([
    ["one label in front", "203.0.113.2", "Allow"],
    ["several", "203.0.113.3", "Allow"],
    ["several, over IPv6", "[2001:db8::3]", "Allow"],
    ["never the apex", "203.0.113.1", "Deny"],
    ["whole labels only", "203.0.113.4", "Deny"],
  ])("S8.1: *.kubernetes.io matches %s", (_, address, verdict) => {
    expect(ask('["*.kubernetes.io"]', address)).toBe(verdict);
  });

  it("S8.3: with DNS knowledge external addresses count, and never a pod's", () => {
    expect(ask('["*.kubernetes.io"]', "b/server")).toBe("Deny");
  });

  it("S8.2: allowing a name does not allow DNS servers", () => {
    const w = given([allowlist("[kubernetes.io]")], { facts: { dns } });
    expect(w.verdict("a/client -> 203.0.113.53:53/UDP")).toBe("Deny");
  });

  it("S3.5, S8.3: without DNS knowledge an external destination is Undecided", () => {
    const said = given([allowlist("[kubernetes.io]")]).ask("a/client -> 203.0.113.1:443/TCP");
    expect(said.verdict).toBe("Undecided");
    expect(said.missing.join()).toContain("kubernetes.io");
  });

  it("S8.3, S9.1: unless other rules decide the same either way", () => {
    const accept = policy({ rules: "egress: [{action: Accept, to: [{domainNames: [a.io]}]}]" });
    expect(given([accept]).verdict("a/client -> 203.0.113.1:443/TCP")).toBe("Allow");
  });

  it("S8.3: pods and nodes are never meant", () => {
    const w = given([allowlist("[kubernetes.io]")]);
    for (const target of ["b/server", "node:n2"]) {
      const said = w.ask(`a/client -> ${target}:443/TCP`);
      expect(said.verdict).toBe("Deny");
      expect(said.notes).toEqual([]);
    }
  });

  it("S8.2: an error in a Deny rule of a file; from a cluster it denies everything", () => {
    const deny = policy({ rules: "egress: [{action: Deny, to: [{domainNames: [a.io]}]}]" });
    expect(problemsIn(yaml(deny)).join()).toContain("TW1404");
    expect(given([deny], { provenance: "cluster" }).verdict(toServer)).toBe("Deny");
  });
});

describe("S3.6: from a cluster, fail closed", () => {
  const live = (rules: string, more: Partial<Policy> = {}) =>
    given([policy({ rules, ...more }), policy({ name: "later", priority: 20, rules: acceptFromPods })], {
      provenance: "cluster",
    });

  it("S3.6: an Accept rule with an unknown peer matches nothing", () => {
    const w = live(
      "ingress: [{action: Accept, from: [{namespaces: {}}, {services: {}}]}, {action: Deny, from: [{namespaces: {}}]}]",
    );
    expect(w.ask(toServer)).toMatchObject({ verdict: "Deny", decidedBy: "ClusterNetworkPolicy guard" });
  });

  it.each(["Deny", "Pass"])(
    "S3.6: a %s rule with one denies everything for its subject, whatever the ports",
    (action) => {
      const rules = `ingress: [{action: ${action}, from: [{services: {}}], protocols: [{tcp: {destinationPort: {number: 80}}}]}]`;
      const w = live(rules, { subject: "{namespaces: {matchLabels: {team: b}}}" });
      expect(w.ask(toServer)).toMatchObject({ verdict: "Deny", decidedBy: "ClusterNetworkPolicy guard" });
      expect(w.verdict("203.0.113.9 -> b/server:53/UDP")).toBe("Deny");
      expect(w.verdict("a/client -> b/server:ICMP")).toBe("Deny");
    },
  );

  it("S3.6: in its direction, and for its subject only", () => {
    const w = live("ingress: [{action: Deny, from: [{}]}]", {
      subject: "{namespaces: {matchLabels: {team: b}}}",
    });
    expect(w.verdict("b/server -> a/client:80/TCP")).toBe("Allow");
  });

  it("S3.6: at its place: what an earlier rule accepts stays accepted", () => {
    const rules =
      "ingress: [{action: Accept, from: [{namespaces: {matchLabels: {team: a}}}]}, {action: Deny, from: [{}]}]";
    const w = live(rules);
    expect(w.verdict(toServer)).toBe("Allow");
    expect(w.verdict("203.0.113.9 -> b/server:80/TCP")).toBe("Deny");
  });

  it("S3.6, S1.6: the node still reaches its own pods", () => {
    const w = live("ingress: [{action: Deny, from: [{}]}]");
    expect(w.verdict("node:n2 -> b/server:8080/TCP")).toBe("Allow");
    expect(w.verdict("node:n1 -> b/server:8080/TCP")).toBe("Deny");
  });

  it("S3.6: an unknown subject or tier is not enforced, and is said", () => {
    for (const more of [{ subject: "{nodes: {}}" }, { tier: "Platform" }]) {
      const text = policy({ rules: denyFromPods, ...more });
      expect(given([text], { provenance: "cluster" }).ask(toServer)).toMatchObject({
        verdict: "Allow",
        decidedBy: "default",
      });
      expect(problemsIn(yaml(text), { provenance: "cluster" }).join()).toContain("TW2016");
    }
  });

  it("S3.6: in a file each of these is an error", () => {
    for (const rules of [
      "ingress: [{action: Deny, from: [{services: {}}]}]",
      "ingress: [{action: Log, from: [{namespaces: {}}]}]",
    ])
      expect(() => given([policy({ rules })])).toThrow(/TW120[34]/);
  });

  it("S3.7: a named port with networks is an error in a file, and evaluated by S1.8 from a cluster", () => {
    const text = policy({
      rules:
        "egress: [{action: Deny, to: [{networks: [0.0.0.0/0]}], protocols: [{destinationNamedPort: web}]}]",
    });
    expect(() => given([text])).toThrow("TW1403");
    const w = given([text], { provenance: "cluster" });
    expect(w.verdict(toServer)).toBe("Deny");
    expect(w.verdict("a/client -> 203.0.113.9:8080/TCP")).toBe("Allow");
  });
});

describe("S3.10: versions", () => {
  const deny = (version: string, more: Partial<Policy> = {}) =>
    policy({ rules: denyFromPods, version, ...more });

  it.each(["v1alpha2", "v1beta1"])("S3.10: %s means the same, and the policy names it", (version) => {
    const { state, ask } = given([deny(version)]);
    expect(ask(toServer)).toMatchObject({ verdict: "Deny", decidedBy: "ClusterNetworkPolicy guard" });
    expect(state.policies).toMatchObject([{ version, kind: "ClusterNetworkPolicy", name: "guard" }]);
    expect(problemsIn(yaml(deny(version)))).toEqual([]);
  });

  it("S3.10: both spellings exist in v1beta1", () => {
    const seed = policy({
      version: "v1beta1",
      tier: "admin",
      rules: "ingress: [{action: Allow, from: [{namespaces: {}}], ports: [{portNumber: {port: 8080}}]}]",
    });
    expect(given([seed, isolateServer]).verdict(toServer)).toBe("Allow");
  });

  it("S3.10, S10.4: one policy in two versions is one object, and twice in a file an error", () => {
    expect(problemsIn(yaml(deny("v1alpha2"), deny("v1beta1"))).join()).toContain("TW1102");
  });

  it("S3.10: an unknown version is an error in a file, which lists the known ones and checks nothing else", () => {
    const { diagnostics, usable } = readState([
      { file: "a.yaml", text: deny("v1", { subject: "{who: {}}" }) },
    ]);
    expect(usable).toBe(false);
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "TW1105 `policy.networking.k8s.io/v1` is not a known version of ClusterNetworkPolicy; use " +
        "`policy.networking.k8s.io/v1alpha2` or `policy.networking.k8s.io/v1beta1`",
    ]);
  });

  it("S3.10: from a cluster, an unknown version is evaluated as far as it is understood, and reported", () => {
    const cluster = { provenance: "cluster" } as const;
    expect(given([deny("v1")], cluster).ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "ClusterNetworkPolicy guard",
    });
    expect(problemsIn(yaml(deny("v1")), cluster).join()).toContain("TW2015");
    const accept = policy({
      version: "v1",
      rules: "ingress: [{action: Accept, from: [{namespaces: {}}], onlyAtNight: true}]",
    });
    expect(given([accept, isolateServer], cluster).verdict(toServer)).toBe("Deny");
  });
});
