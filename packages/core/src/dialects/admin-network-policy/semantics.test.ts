import { describe, expect, it } from "vitest";
import type { StateOptions } from "../../state/state.js";
import { problemsIn, world } from "../../../testing/world.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: b, security: internal}}}
---
{apiVersion: v1, kind: Node, metadata: {name: cp, labels: {node-role.kubernetes.io/control-plane: ""}}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}, {type: ExternalIP, address: 203.0.113.77}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: worker}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, spec: {nodeName: worker}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: server}, spec: {nodeName: worker}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: apiserver}, spec: {nodeName: cp, hostNetwork: true}, status: {podIP: 192.168.0.1}}
`;

const api = "apiVersion: policy.networking.k8s.io/v1alpha1";
const admin = (name: string, priority: number, rules: string, subject = "{namespaces: {}}") =>
  `{${api}, kind: AdminNetworkPolicy, metadata: {name: ${name}}, spec: {priority: ${priority}, subject: ${subject}, ${rules}}}`;
const baseline = (rules: string, subject = "{namespaces: {}}") =>
  `{${api}, kind: BaselineAdminNetworkPolicy, metadata: {name: default}, spec: {subject: ${subject}, ${rules}}}`;
const networkPolicy = (spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: b, name: np}, spec: ${spec}}`;

const yaml = (...objects: readonly string[]) => [cluster, ...objects].join("\n---\n");
const given = (policies: readonly string[], options: StateOptions = {}) => world(yaml(...policies), options);
const fromPods = (action: string) => `ingress: [{action: ${action}, from: [{namespaces: {}}]}]`;
const toServer = "a/client -> b/server:80/TCP";

describe("S4.1: tiers and order", () => {
  it("S4.1: the lower priority is evaluated first", () => {
    const policies = [admin("a", 20, fromPods("Deny")), admin("z", 10, fromPods("Allow"))];
    expect(given(policies).ask(toServer)).toMatchObject({
      verdict: "Allow",
      decidedBy: "AdminNetworkPolicy z",
    });
  });

  it("S4.1: an AdminNetworkPolicy precedes NetworkPolicies, a BaselineAdminNetworkPolicy follows them", () => {
    const isolated = networkPolicy("{podSelector: {}}");
    const allowed = networkPolicy("{podSelector: {}, ingress: [{}]}");
    expect(given([admin("top", 5, fromPods("Allow")), isolated]).ask(toServer).decidedBy).toBe(
      "AdminNetworkPolicy top",
    );
    expect(given([baseline(fromPods("Allow")), isolated]).ask(toServer).decidedBy).toBe(
      "isolation by NetworkPolicy b/np",
    );
    expect(given([baseline(fromPods("Deny")), allowed]).ask(toServer).decidedBy).toBe("NetworkPolicy b/np");
    expect(given([baseline(fromPods("Deny"))]).ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "BaselineAdminNetworkPolicy default",
    });
  });

  it("S4.1: Pass leaves the tier: later AdminNetworkPolicies are skipped, the baseline is not", () => {
    const policies = [admin("pass", 1, fromPods("Pass")), admin("deny", 2, fromPods("Deny"))];
    expect(given(policies).ask(toServer)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
    expect(given([...policies, baseline(fromPods("Deny"))]).ask(toServer).decidedBy).toBe(
      "BaselineAdminNetworkPolicy default",
    );
  });

  it("S1.12: the BaselineAdminNetworkPolicy counts as priority 1000, after a ClusterNetworkPolicy of that priority", () => {
    const cnp = (priority: number) =>
      `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: base},
        spec: {tier: Baseline, priority: ${priority}, subject: {namespaces: {}}, ingress: [{action: Accept, from: [{namespaces: {}}]}]}}`;
    for (const priority of [0, 1000])
      expect(given([baseline(fromPods("Deny")), cnp(priority)]).ask(toServer).decidedBy).toBe(
        "ClusterNetworkPolicy base",
      );
  });

  it("S3.9: nothing is isolated", () => {
    const none = "ingress: [{action: Allow, from: [{namespaces: {matchLabels: {team: none}}}]}], egress: []";
    expect(given([admin("top", 1, none), baseline(none)]).ask(toServer)).toMatchObject({
      verdict: "Allow",
      decidedBy: "default",
    });
  });

  it("S1.13: equal priorities are ordered by name, and reported", () => {
    const policies = [admin("second", 10, fromPods("Deny")), admin("first", 10, fromPods("Allow"))];
    expect(given(policies).ask(toServer).decidedBy).toBe("AdminNetworkPolicy first");
    expect(problemsIn(yaml(...policies)).join()).toContain("TW2003");
  });
});

describe("S4.2: egress to nodes and networks", () => {
  it("S4.2: NPEP-126's example of nodes: ports of the control plane, by every address of it", () => {
    const w = given([
      admin(
        "node-as-egress-peer",
        55,
        `egress: [{name: deny-all-egress-to-kapi-server, action: Deny, to: [{nodes: {matchLabels: {node-role.kubernetes.io/control-plane: ""}}}],
          ports: [{portNumber: {protocol: TCP, port: 443}}, {portNumber: {protocol: TCP, port: 6443}}]}]`,
        "{namespaces: {matchExpressions: [{key: security, operator: NotIn, values: [restricted, confidential, internal]}]}}",
      ),
    ]);
    for (const target of ["node:cp", "192.168.0.1", "203.0.113.77", "b/apiserver"])
      expect(w.verdict(`a/client -> ${target}:6443/TCP`)).toBe("Deny");
    expect(w.verdict("a/client -> node:cp:22/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> node:worker:6443/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> 203.0.113.78:6443/TCP")).toBe("Allow");
    expect(w.verdict("b/server -> node:cp:6443/TCP")).toBe("Allow");
  });

  describe("S4.2: NPEP-126's example of networks", () => {
    const policies = [
      admin(
        "network-as-egress-peer",
        70,
        `egress: [
          {name: deny-egress-to-external-dns-servers, action: Deny, to: [{networks: [194.0.2.0/24, 205.0.113.15/32, 199.51.100.10/32]}], ports: [{portNumber: {protocol: UDP, port: 53}}]},
          {name: allow-all-egress-to-intranet, action: Allow, to: [{networks: [192.0.2.0/24, 203.0.113.0/24, 198.51.100.0/24]}]},
          {name: allow-all-intra-cluster-traffic, action: Allow, to: [{networks: [10.1.0.0/16, 192.168.0.0/24]}]},
          {name: pass-all-egress-to-internet, action: Pass, to: [{networks: [0.0.0.0/0]}]}]`,
      ),
      baseline("egress: [{name: deny-all-egress-to-internet, action: Deny, to: [{networks: [0.0.0.0/0]}]}]"),
    ];

    it.each([
      ["205.0.113.15:53/UDP", "Deny", "AdminNetworkPolicy network-as-egress-peer"],
      ["205.0.113.15:53/TCP", "Deny", "BaselineAdminNetworkPolicy default"],
      ["203.0.113.9:443/TCP", "Allow", "AdminNetworkPolicy network-as-egress-peer"],
      ["b/server:80/TCP", "Allow", "AdminNetworkPolicy network-as-egress-peer"],
      ["node:cp:6443/TCP", "Allow", "AdminNetworkPolicy network-as-egress-peer"],
      ["8.8.8.8:443/TCP", "Deny", "BaselineAdminNetworkPolicy default"],
      ["[2001:db8::1]:443/TCP", "Allow", "default"],
    ])("S4.2: a/client -> %s is %s by %s", (target, verdict, decidedBy) => {
      expect(given(policies).ask(`a/client -> ${target}`)).toMatchObject({ verdict, decidedBy });
    });
  });
});

describe("S4.3: from a cluster, fail closed", () => {
  it("S4.3: an unknown peer in a Pass rule denies everything for the subject; in an Allow rule it matches nothing", () => {
    const live = (rules: string) => given([admin("live", 1, rules)], { provenance: "cluster" });
    expect(live("ingress: [{action: Pass, from: [{services: {}}]}]").ask(toServer)).toMatchObject({
      verdict: "Deny",
      decidedBy: "AdminNetworkPolicy live",
    });
    expect(live("ingress: [{action: Allow, from: [{services: {}}]}]").ask(toServer).decidedBy).toBe(
      "default",
    );
  });

  it("S4.3: an unknown subject is not enforced", () => {
    const text = admin("live", 1, fromPods("Deny"), "{workloads: {}}");
    expect(given([text], { provenance: "cluster" }).verdict(toServer)).toBe("Allow");
  });
});

describe("S4.4: the two AdminNetworkPolicies", () => {
  const kep = `{${api}, kind: AdminNetworkPolicy, metadata: {name: kep},
    spec: {priority: 20, subject: {namespaceSelector: {}},
      ingress: [{action: Allow, from: [{namespaces: {namespaceSelector: {}}}], l4Selector: {allPorts: true}}]}}`;

  it("S4.4: are distinguished by their subject; a set with both gets a warning", () => {
    const released = admin("released", 990, fromPods("Deny"));
    expect(given([released, kep]).ask(toServer).decidedBy).toBe("AdminNetworkPolicy kep");
    expect(problemsIn(yaml(released, kep)).join()).toContain("TW2005");
    const first = admin("released", 970, fromPods("Deny"));
    expect(given([first, kep]).ask(toServer).decidedBy).toBe("AdminNetworkPolicy released");
  });

  it("S4.4: a mix of the two is an error", () => {
    const mixed = admin(
      "mixed",
      1,
      "ingress: [{action: Deny, from: [{namespaces: {}}], l4Selector: {allPorts: true}}]",
    );
    expect(problemsIn(yaml(mixed)).join()).toContain("TW1402");
  });
});
