import { describe, expect, it } from "vitest";
import { parseCidr } from "../../net/cidr.js";
import type { Code } from "../../diagnostics/table.js";
import { readState, type StateOptions } from "../state.js";

const cluster = `{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: b}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: web, labels: {app: web}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: db, labels: {app: db}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: agent, labels: {app: agent}}, spec: {nodeName: n1, hostNetwork: true}, status: {podIP: 192.168.0.1}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: a, name: s}, spec: {clusterIP: 10.96.0.10, externalIPs: [198.51.100.1], selector: {app: web}, ports: [{port: 80}]}}
`;

/** The warnings about these policies together; the policies of a case begin at line 1. */
const said = (policies: readonly string[], code: Code, options: StateOptions = {}) => {
  const { diagnostics, usable } = readState(
    [
      { file: "policies.yaml", text: policies.join("\n---\n") },
      { file: "cluster.yaml", text: cluster },
    ],
    options,
  );
  if (!usable) throw new Error(diagnostics.map((d) => `${d.code} ${d.message}`).join("\n"));
  return diagnostics
    .filter((d) => d.code === code)
    .map((d) => ({
      at: d.place === undefined ? "" : `${d.place.file}:${d.place.line}`,
      message: d.message,
      severity: d.severity,
    }));
};

const from = "from: [{namespaces: {}}]";
const meta = (api: string, kind: string, name: string) =>
  `apiVersion: ${api}, kind: ${kind}, metadata: {name: ${name}}`;

interface Written {
  readonly name?: string;
  readonly priority?: number;
  readonly subject?: string;
  readonly direction?: "ingress" | "egress";
}

const inAdmin = (
  { name = "cnp", priority = 10, subject = "{namespaces: {}}", direction = "ingress" }: Written = {},
  tier = "Admin",
) =>
  `{${meta("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", name)}, spec: {tier: ${tier}, priority: ${priority}, subject: ${subject}, ${direction}: [{action: Deny, ${direction === "ingress" ? from : from.replace("from", "to")}}]}}`;
const inBaseline = (written: Written = {}) => inAdmin(written, "Baseline");
const released = ({ name = "anp", priority = 10, subject = "{namespaces: {}}" }: Written = {}) =>
  `{${meta("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", name)}, spec: {priority: ${priority}, subject: ${subject}, ingress: [{action: Deny, ${from}}]}}`;
const baseline = `{${meta("policy.networking.k8s.io/v1alpha1", "BaselineAdminNetworkPolicy", "default")}, spec: {subject: {namespaces: {}}, ingress: [{action: Deny, ${from}}]}}`;
const kep = ({ name = "kep", priority = 10, subject = "{namespaceSelector: {}}" }: Written = {}) =>
  `{${meta("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", name)}, spec: {priority: ${priority}, subject: ${subject}, ingress: [{action: Deny, from: [{namespaces: {self: true}}], l4Selector: {allPorts: true}}]}}`;
const draft = `{${meta("netpol.networking.k8s.io/v1alpha1", "ClusterNetworkPolicy", "draft")}, spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Deny}]}}`;
const draftDefault = `{${meta("netpol.networking.k8s.io/v1alpha1", "ClusterDefaultNetworkPolicy", "closed")}, spec: {appliedTo: {namespaceSelector: {}}, ingress: []}}`;
const cilium = `{${meta("cilium.io/v2", "CiliumClusterwideNetworkPolicy", "c")}, spec: {endpointSelector: {}, ingress: [{fromEntities: [all]}]}}`;
const networkPolicy =
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np}, spec: {podSelector: {}}}";

/** Both orders of the input: what is said must not depend on it. */
const orders = (policies: readonly string[]): readonly (readonly string[])[] => [
  policies,
  policies.reduceRight<string[]>((rest, policy) => [...rest, policy], []),
];

describe("TW2002: a CIDR that covers only Service addresses (S1.9)", () => {
  const block = (cidr: string) =>
    `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np}, spec: {podSelector: {},
      egress: [{to: [{podSelector: {}}]},
               {to: [{ipBlock: {cidr: "${cidr}"}}]}]}}`;
  const services: StateOptions = { facts: { serviceCidrs: [parseCidr("10.96.0.0/16")!] } };

  it.each([
    ["the address of a Service", "10.96.0.10/32", {}, 1],
    ["its external address", "198.51.100.1/32", {}, 1],
    ["an address that no Service has", "10.96.0.11/32", {}, 0],
    ["more than the address of a Service", "10.96.0.0/24", {}, 0],
    ["a part of --service-cidr", "10.96.0.0/24", services, 1],
    ["all of --service-cidr", "10.96.0.0/16", services, 1],
    ["more than --service-cidr", "10.0.0.0/8", services, 0],
    ["everything", "0.0.0.0/0", services, 0],
    ["another family", "fd00::/8", services, 0],
  ])("S1.9: %s (%s)", (_, cidr, options, times) => {
    expect(said([block(cidr)], "TW2002", options)).toHaveLength(times);
  });

  it("S1.9: it points to the rule and names the CIDR", () => {
    expect(said([block("10.96.0.10/32")], "TW2002")).toEqual([
      {
        at: "policies.yaml:3",
        severity: "warning",
        message: expect.stringContaining("`10.96.0.10/32`") as unknown,
      },
    ]);
  });

  it("S1.9: of an address that is also a node's, as ServiceLB and external IPs have it, nothing is said", () => {
    const external =
      "{apiVersion: v1, kind: Service, metadata: {namespace: a, name: lb}, spec: {clusterIP: 10.96.0.11, externalIPs: [192.168.0.1], selector: {app: web}, ports: [{port: 80}]}}";
    expect(said([external, block("192.168.0.1/32")], "TW2002")).toEqual([]);
  });

  it("S1.9: once for a CIDR of a rule, and for each rule that has one", () => {
    const networks = (cidr: string) =>
      `{${meta("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", "p")}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: [${cidr}]}, {networks: [${cidr}]}]}, {action: Deny, to: [{networks: [${cidr}]}]}]}}`;
    expect(said([networks("10.96.0.10/32")], "TW2002")).toHaveLength(2);
  });
});

describe("TW2003: one priority, shared pods (S1.13)", () => {
  const ofA = "{namespaces: {matchLabels: {team: a}}}";
  const ofB = "{namespaces: {matchLabels: {team: b}}}";
  const webPods = "{pods: {podSelector: {matchLabels: {app: web}}}}";
  const agents = "{pods: {podSelector: {matchLabels: {app: agent}}}}";

  it.each([
    ["the same subject", [inAdmin({ name: "one" }), inAdmin({ name: "two" })], 1],
    [
      "subjects that share a pod",
      [inAdmin({ name: "one", subject: ofA }), inAdmin({ name: "two", subject: webPods })],
      1,
    ],
    [
      "subjects that share none",
      [inAdmin({ name: "one", subject: ofA }), inAdmin({ name: "two", subject: ofB })],
      0,
    ],
    [
      "only host-network pods, which policies never select",
      [inAdmin({ name: "one", subject: agents }), inAdmin({ name: "two", subject: agents })],
      0,
    ],
    ["other priorities", [inAdmin({ name: "one" }), inAdmin({ name: "two", priority: 11 })], 0],
    ["other tiers", [inAdmin({ name: "one" }), inBaseline({ name: "two" })], 0],
    ["both in the baseline", [inBaseline({ name: "one" }), inBaseline({ name: "two" })], 1],
    ["other directions", [inAdmin({ name: "one" }), inAdmin({ name: "two", direction: "egress" })], 1],
    ["AdminNetworkPolicies", [released({ name: "one" }), released({ name: "two" })], 1],
    ["the KEP's", [kep({ name: "one" }), kep({ name: "two" })], 1],
    ["the KEP's at zero", [kep({ name: "one", priority: 0 }), kep({ name: "two", priority: 0 })], 1],
    [
      "three of them: each pair",
      [inAdmin({ name: "one" }), inAdmin({ name: "two" }), inAdmin({ name: "zero" })],
      3,
    ],
    ["the first draft, which has no order", [draft, draft.replace("name: draft", "name: draft-2")], 0],
    ["the BaselineAdminNetworkPolicy, which has no priority", [baseline, inBaseline({ priority: 1000 })], 0],
    ["NetworkPolicies", [networkPolicy, networkPolicy.replace("name: np", "name: np-2")], 0],
  ])("S1.13: %s", (_, policies, times) => {
    for (const order of orders(policies)) expect(said(order, "TW2003")).toHaveLength(times);
  });

  it("S1.13: it names both policies and a pod that they share", () => {
    for (const order of orders([inAdmin({ name: "one" }), inAdmin({ name: "two" })])) {
      const [found] = said(order, "TW2003");
      expect(found?.severity).toBe("warning");
      expect(found?.message).toContain("ClusterNetworkPolicy one and ClusterNetworkPolicy two");
      expect(found?.message).toContain("a/web");
    }
  });

  it("S1.13: twice in one pair of policies, once said", () => {
    const both = (name: string) =>
      inAdmin({ name }).replace(/\}\}$/, `, egress: [{action: Deny, to: [{namespaces: {}}]}]}}`);
    expect(said([both("one"), both("two")], "TW2003")).toHaveLength(1);
  });
});

describe("TW2004: several APIs in one tier (S1.12)", () => {
  it.each([
    ["ClusterNetworkPolicy and AdminNetworkPolicy", [inAdmin(), released()], ["admin"]],
    ["both AdminNetworkPolicies", [released(), kep()], ["admin"]],
    ["ClusterNetworkPolicy and BaselineAdminNetworkPolicy", [inBaseline(), baseline], ["baseline"]],
    ["the KEP's at zero and BaselineAdminNetworkPolicy", [kep({ priority: 0 }), baseline], ["baseline"]],
    ["both tiers", [inAdmin(), released(), inBaseline({ name: "base" }), baseline], ["admin", "baseline"]],
    ["other tiers", [inAdmin(), baseline], []],
    ["one API", [inAdmin({ name: "one" }), inAdmin({ name: "two" })], []],
    ["NetworkPolicy and Cilium, where order decides nothing", [networkPolicy, cilium], []],
    ["the first draft, which has tiers of its own", [draft, draftDefault, inAdmin()], []],
  ])("S1.12: %s", (_, policies, tiers) => {
    for (const order of orders(policies)) {
      const found = said(order, "TW2004");
      expect(new Set(found.map(({ message }) => /^tier (\S+)/.exec(message)?.[1]))).toEqual(new Set(tiers));
    }
  });

  it("S1.12: it names the APIs", () => {
    expect(said([inAdmin(), kep()], "TW2004")[0]).toMatchObject({
      severity: "warning",
      message:
        "tier admin contains policies of several APIs: ClusterNetworkPolicy (ClusterNetworkPolicy cnp), " +
        "AdminNetworkPolicy of KEP-2091 (AdminNetworkPolicy kep)",
    });
  });
});

describe("TW2005: both AdminNetworkPolicy APIs (S4.4)", () => {
  it.each([
    ["both", [released(), kep()], 1],
    ["both, and a BaselineAdminNetworkPolicy", [baseline, released(), kep()], 1],
    ["the released one alone", [released(), released({ name: "anp-2" })], 0],
    ["the KEP's alone", [kep(), kep({ name: "kep-2" })], 0],
    ["the KEP's and a BaselineAdminNetworkPolicy, which has no priority", [kep(), baseline], 0],
    ["the KEP's and a ClusterNetworkPolicy", [kep(), inAdmin()], 0],
  ])("S4.4: %s", (_, policies, times) => {
    for (const order of orders(policies)) expect(said(order, "TW2005")).toHaveLength(times);
  });

  it("S4.4: it names one of each", () => {
    expect(said([released(), kep()], "TW2005")).toEqual([
      {
        at: "policies.yaml:3",
        severity: "warning",
        message: "AdminNetworkPolicy anp uses the released API, AdminNetworkPolicy kep that of KEP-2091",
      },
    ]);
  });
});

describe("TW2006: the first draft with another cluster-wide API (S6.1)", () => {
  it.each([
    ["ClusterNetworkPolicy", [draft, inAdmin()], 1],
    ["AdminNetworkPolicy", [draft, released()], 1],
    ["AdminNetworkPolicy of the KEP", [draft, kep()], 1],
    ["BaselineAdminNetworkPolicy", [draft, baseline], 1],
    ["a ClusterDefaultNetworkPolicy and ClusterNetworkPolicy", [draftDefault, inBaseline()], 1],
    ["its own two kinds", [draft, draftDefault], 0],
    ["NetworkPolicy", [draft, networkPolicy], 0],
    ["Cilium", [draft, cilium], 0],
    ["nothing of the first draft", [inAdmin(), released()], 0],
  ])("S6.1: %s", (_, policies, times) => {
    for (const order of orders(policies)) expect(said(order, "TW2006")).toHaveLength(times);
  });

  it("S6.1: it points to the first draft's policy", () => {
    expect(said([inAdmin(), draft], "TW2006")).toMatchObject([
      { at: "policies.yaml:3", severity: "warning" },
    ]);
  });
});

describe("TW3005: Cilium policies and a baseline (S7.12)", () => {
  it.each([
    ["BaselineAdminNetworkPolicy", [cilium, baseline], 1],
    ["ClusterNetworkPolicy in the baseline", [cilium, inBaseline()], 1],
    ["the KEP's at zero", [cilium, kep({ priority: 0 })], 1],
    ["tier admin alone", [cilium, inAdmin()], 0],
    ["a baseline without Cilium", [networkPolicy, baseline], 0],
    ["the first draft's default policies", [cilium, draftDefault], 0],
  ])("S7.12: %s", (_, policies, times) => {
    for (const order of orders(policies)) expect(said(order, "TW3005")).toHaveLength(times);
  });

  it("S7.12: it is a note, not a warning", () => {
    expect(said([cilium, baseline], "TW3005")).toMatchObject([{ at: "policies.yaml:1", severity: "note" }]);
  });
});

describe("S1.12, S1.13: a set without surprises", () => {
  it("S1.13: gets no warning", () => {
    const policies = [
      inAdmin({ name: "one", priority: 1 }),
      inAdmin({ name: "two", priority: 2 }),
      inBaseline({ name: "zero", priority: 1 }),
      networkPolicy,
    ];
    const { diagnostics } = readState([{ file: "all.yaml", text: [cluster, ...policies].join("\n---\n") }]);
    expect(diagnostics).toEqual([]);
  });
});
