import { describe, expect, it } from "vitest";
import type { StateOptions } from "../state/state.js";
import { world } from "../../testing/world.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server}, status: {podIP: 10.1.0.2}}
`;

const given = (policies: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...policies].join("\n---\n"), options);
/** What is decided must not depend on the order of the input. */
const orders = (policies: readonly string[]): readonly (readonly string[])[] => [
  policies,
  policies.reduceRight<string[]>((rest, policy) => [...rest, policy], []),
];
const question = "a/client -> a/server:80/TCP";

type Action = "Allow" | "Deny" | "Pass";

const firstDraft = (name: string, action: "Empower" | "Deny" | "Allow") =>
  `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterNetworkPolicy, metadata: {name: ${name}},
    spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: ${action}}]}}`;
const clusterPolicy = (name: string, action: Action, priority: number, tier = "Admin") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}},
    spec: {tier: ${tier}, priority: ${priority}, subject: {namespaces: {}}, ingress: [{action: ${action === "Allow" ? "Accept" : action}, from: [{namespaces: {}}]}]}}`;
const released = (name: string, action: Action, priority: number) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: ${name}},
    spec: {priority: ${priority}, subject: {namespaces: {}}, ingress: [{action: ${action}, from: [{namespaces: {}}]}]}}`;
const baselinePolicy = (action: "Allow" | "Deny") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: default},
    spec: {subject: {namespaces: {}}, ingress: [{action: ${action}, from: [{namespaces: {}}]}]}}`;
const kep = (name: string, action: Action, priority: number, uid = "") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: ${name}${uid}},
    spec: {priority: ${priority}, subject: {namespaceSelector: {}}, ingress: [{action: ${action}, from: [{namespaces: {namespaceSelector: {}}}], l4Selector: {allPorts: true}}]}}`;
const networkPolicy = (name: string, ingress: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: ${name}}, spec: {podSelector: {}, ingress: ${ingress}}}`;
const ciliumDeny = `{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {name: deny},
  spec: {endpointSelector: {}, ingressDeny: [{fromEntities: [all]}]}}`;
const clusterDefault = `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterDefaultNetworkPolicy, metadata: {name: closed},
  spec: {appliedTo: {namespaceSelector: {}}, ingress: []}}`;

describe("the tiers in order", () => {
  /** Adjacent tiers have opposite verdicts, so each of them is visible once those before it are removed. */
  const stack = [
    { policy: firstDraft("wall", "Deny"), decidedBy: "ClusterNetworkPolicy wall", verdict: "Deny" },
    { policy: firstDraft("door", "Allow"), decidedBy: "ClusterNetworkPolicy door", verdict: "Allow" },
    { policy: released("admin", "Deny", 5), decidedBy: "AdminNetworkPolicy admin", verdict: "Deny" },
    { policy: networkPolicy("open", "[{}]"), decidedBy: "NetworkPolicy a/open", verdict: "Allow" },
    { policy: baselinePolicy("Deny"), decidedBy: "BaselineAdminNetworkPolicy default", verdict: "Deny" },
    {
      policy: clusterDefault,
      decidedBy: "isolation by ClusterDefaultNetworkPolicy closed",
      verdict: "Deny",
    },
  ];

  it.each(stack.map(({ decidedBy, verdict }, i) => [i, decidedBy, verdict] as const))(
    "S1.1: without the first %i tiers, %s decides: %s",
    (i, decidedBy, verdict) => {
      for (const policies of orders(stack.slice(i).map(({ policy }) => policy)))
        expect(given(policies).ask(question)).toMatchObject({ verdict, decidedBy });
    },
  );

  it("S1.3: without all of it, the default", () => {
    expect(given([]).ask(question)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
  });

  it("S1.3: the baseline comes before the first draft's default policies", () => {
    expect(given([baselinePolicy("Allow"), clusterDefault]).ask(question)).toMatchObject({
      verdict: "Allow",
      decidedBy: "BaselineAdminNetworkPolicy default",
    });
  });

  it("S1.1: Empower skips the Deny rules of its tier, to the first draft's Allow rules", () => {
    const policies = [firstDraft("exempt", "Empower"), firstDraft("wall", "Deny")];
    expect(given(policies).ask(question).decidedBy).toBe("default");
    expect(given([...policies, firstDraft("door", "Allow")]).ask(question).decidedBy).toBe(
      "ClusterNetworkPolicy door",
    );
  });
});

describe("within a tier", () => {
  it.each([
    [
      "the released APIs: 0 first",
      [clusterPolicy("a", "Deny", 1), clusterPolicy("b", "Allow", 0)],
      "ClusterNetworkPolicy b",
    ],
    [
      "across the released APIs",
      [clusterPolicy("a", "Deny", 4), released("b", "Allow", 3)],
      "AdminNetworkPolicy b",
    ],
    [
      "the KEP's: the larger number first",
      [kep("a", "Deny", 10), kep("b", "Allow", 11)],
      "AdminNetworkPolicy b",
    ],
    [
      "the KEP's 991 is 9, before a released 10",
      [released("a", "Deny", 10), kep("b", "Allow", 991)],
      "AdminNetworkPolicy b",
    ],
    [
      "the KEP's 989 is 11, after a released 10",
      [released("b", "Deny", 10), kep("a", "Allow", 989)],
      "AdminNetworkPolicy b",
    ],
    [
      "equal: ClusterNetworkPolicy before AdminNetworkPolicy",
      [released("a", "Deny", 10), clusterPolicy("b", "Allow", 10)],
      "ClusterNetworkPolicy b",
    ],
    [
      "equal: AdminNetworkPolicy as released before the KEP's",
      [kep("a", "Deny", 990), released("b", "Allow", 10)],
      "AdminNetworkPolicy b",
    ],
    [
      "the baseline: 999 before the BaselineAdminNetworkPolicy, which counts as 1000",
      [baselinePolicy("Deny"), clusterPolicy("z", "Allow", 999, "Baseline")],
      "ClusterNetworkPolicy z",
    ],
    [
      "the baseline: at 1000 the order of the APIs decides",
      [baselinePolicy("Deny"), clusterPolicy("z", "Allow", 1000, "Baseline")],
      "ClusterNetworkPolicy z",
    ],
    [
      "the baseline: the KEP's zero is 1000 too, and last",
      [kep("a", "Deny", 0), baselinePolicy("Allow")],
      "BaselineAdminNetworkPolicy default",
    ],
  ])("S1.12: %s", (_, policies, decidedBy) => {
    for (const order of orders(policies)) expect(given(order).ask(question).decidedBy).toBe(decidedBy);
  });

  it("S1.12: a KEP priority past 1000, from a cluster, comes before everything of the tier", () => {
    const policies = [released("a", "Deny", 0), kep("b", "Allow", 1001, ', uid: "1"')];
    expect(given(policies).ask(question).decidedBy).toBe("AdminNetworkPolicy b");
  });

  it("S1.12: last, the position of the rule, as a number and not as text", () => {
    const rule = (action: string, port: number) =>
      `{action: ${action}, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: ${port}}}}]}`;
    const others = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => rule("Accept", first + i));
    // Number 2 denies and number 10 allows.
    const rules = [...others(1000, 2), rule("Deny", 80), ...others(2000, 7), rule("Accept", 80)].join(", ");
    const policy = `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: p},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [${rules}]}}`;
    expect(given([policy]).verdict(question)).toBe("Deny");
  });

  it("S1.13: the same priority: in the order of the names", () => {
    for (const [first, second] of [
      ["alpha", "beta"],
      ["z", "zz"],
      ["p-10", "p-9"],
    ] as const)
      expect(
        given([clusterPolicy(second, "Deny", 7), clusterPolicy(first, "Allow", 7)]).ask(question).decidedBy,
      ).toBe(`ClusterNetworkPolicy ${first}`);
  });

  it("S7.1, S1.12: in tier network-policy a Deny comes before every Allow, whatever API or name", () => {
    for (const name of ["a", "zz"])
      expect(given([networkPolicy(name, "[{}]"), ciliumDeny]).ask(question)).toMatchObject({
        verdict: "Deny",
        decidedBy: "CiliumClusterwideNetworkPolicy deny",
      });
  });

  it("S7.12: a mode of Cilium is for the whole tier: it enforces NetworkPolicies, too", () => {
    const closed = networkPolicy("closed", "[]");
    expect(given([closed]).verdict(question)).toBe("Deny");
    expect(given([closed, ciliumDeny], { ciliumEnforcement: "never" }).ask(question)).toMatchObject({
      verdict: "Allow",
      decidedBy: "default",
    });
    expect(given([closed, baselinePolicy("Deny")], { ciliumEnforcement: "never" }).verdict(question)).toBe(
      "Deny",
    );
    expect(given([], { ciliumEnforcement: "always" }).ask(question)).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by --cilium-enforcement always",
    });
    expect(
      given([networkPolicy("open", "[{}]")], { ciliumEnforcement: "always" }).ask(question).ingress,
    ).toBe("NetworkPolicy a/open");
  });
});
