import { describe, expect, it } from "vitest";
import { readState, type StateOptions } from "../../state/state.js";
import { clusterPolicy } from "../../../testing/manifests.js";
import { compareEverywhere, outcomeOf } from "./index.js";

const stateOf = (text: string, options: StateOptions = {}) => {
  const state = readState([{ file: "policies.yaml", text }], options);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
};

const compared = (before: string, after: string, options: StateOptions = {}) =>
  compareEverywhere(stateOf(before, options), stateOf(after, options));

/** What becomes of the connection of the counterexample, and the policies of owners in it. */
function difference(before: string, after: string, options: StateOptions = {}) {
  const found = compared(before, after, options);
  if (found.result !== "Different") throw new Error(`they are ${JSON.stringify(found)}`);
  const { witness, manifests } = found.before;
  return {
    witness,
    essential: found.essential,
    owners: manifests.slice(manifests.indexOf("apiVersion: cilium.io/v2")),
    outcomes: [outcomeOf(found.before), outcomeOf(found.after)].toSorted(),
  };
}

const policy = (kind: string, metadata: string, spec: string) =>
  `---\napiVersion: cilium.io/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: {endpointSelector: {}, ${spec}}\n`;
const clusterwide = (spec: string) => policy("CiliumClusterwideNetworkPolicy", "{name: watch}", spec);

/** Items that allow requests only. */
const http = 'toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{method: GET}]}}]';
const dns = (port: string) => `toPorts: [{ports: [${port}], rules: {dns: [{matchPattern: "*"}]}}]`;
const ingress = (...items: readonly string[]) =>
  clusterwide(`ingress: [${items.map((item) => `{${item}}`).join(", ")}]`);
const egress = (...items: readonly string[]) =>
  clusterwide(`egress: [${items.map((item) => `{${item}}`).join(", ")}]`);
const watched = (peers: string) => ingress(`${peers}, ${http}`);
const watchedOut = (peers: string) => egress(`${peers}, ${http}`);

describe("S11.6: an owner's policy that plainly allows exactly the peer and port of an L7 rule", () => {
  it("removes its condition on one side only, where the other one is written with other CIDRs", () => {
    const { witness, owners, outcomes, essential } = difference(
      watched("fromCIDR: [203.0.112.0/23]"),
      watched("fromCIDR: [203.0.112.0/24, 203.0.113.0/24]"),
    );
    expect(outcomes).toEqual(["allowed", "allowed under a condition"]);
    expect(witness.source.kind).toBe("external");
    expect(witness.owners).toEqual({ ingress: undefined, egress: undefined });
    expect(owners).toContain(`  name: owner-ingress-allow\n  namespace: ${witness.destination.namespace}\n`);
    expect(owners).toMatch(/- fromCIDR:\n +- 203\.0\.11[23]\.0\/2[34]\n/);
    expect(essential).toContain("what the owner of the server's namespace wrote");
  });

  const offices = (cidr: string) =>
    `---\napiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata: {name: offices}\nspec: {externalCIDRs: [${cidr}]}\n`;

  it.each<[what: string, before: string, after: string]>([
    [
      "exceptions",
      watched("fromCIDRSet: [{cidr: 203.0.112.0/23, except: [203.0.113.0/24]}]"),
      watched("fromCIDR: [203.0.112.0/24]"),
    ],
    [
      "CIDRs to the outside",
      watchedOut("toCIDR: [203.0.112.0/23]"),
      watchedOut("toCIDR: [203.0.112.0/24, 203.0.113.0/24]"),
    ],
    [
      "CIDR groups",
      watched("fromCIDRSet: [{cidrGroupRef: offices}]") + offices("203.0.113.0/24"),
      watched("fromCIDR: [203.0.113.0/24]") + offices("203.0.113.0/24"),
    ],
    ["entities", watched("fromEntities: [all]"), watched("fromEntities: [cluster, world]")],
    [
      "reserved labels",
      watched('fromEndpoints: [{matchLabels: {"reserved:world": ""}}]'),
      watched(
        'fromEndpoints: [{matchLabels: {"reserved:world-ipv4": ""}}, {matchLabels: {"reserved:world-ipv6": ""}}]',
      ),
    ],
    [
      "the API server",
      watched('fromEndpoints: [{matchLabels: {"reserved:remote-node": ""}}]'),
      watched(
        'fromEndpoints: [{matchLabels: {"reserved:remote-node": "", "reserved:kube-apiserver": ""}}, {matchLabels: {"reserved:remote-node": ""}, matchExpressions: [{key: "reserved:kube-apiserver", operator: DoesNotExist}]}]',
      ),
    ],
    [
      "nodes",
      watched("fromNodes: [{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]"),
      watched("fromNodes: [{matchLabels: {zone: a}}, {matchLabels: {zone: b}}]"),
    ],
    [
      "values of a label",
      watched("fromEndpoints: [{matchExpressions: [{key: app, operator: In, values: [a, b]}]}]"),
      watched("fromEndpoints: [{matchLabels: {app: a}}, {matchLabels: {app: b}}]"),
    ],
    [
      "a requirement that is implied",
      watched("fromEndpoints: [{matchLabels: {app: a}}]"),
      watched("fromEndpoints: [{matchLabels: {app: a}, matchExpressions: [{key: app, operator: Exists}]}]"),
    ],
    [
      "namespaces",
      watched(
        'fromEndpoints: [{matchExpressions: [{key: "k8s:io.kubernetes.pod.namespace", operator: Exists}]}]',
      ),
      watched("fromEndpoints: [{}]"),
    ],
    [
      "labels of namespaces",
      watched(
        "fromEndpoints: [{matchExpressions: [{key: io.cilium.k8s.namespace.labels.team, operator: NotIn, values: [a, b]}]}]",
      ),
      watched(
        "fromEndpoints: [{matchExpressions: [{key: io.cilium.k8s.namespace.labels.team, operator: NotIn, values: [b, a]}]}]",
      ),
    ],
    [
      "service accounts",
      watched(
        "fromEndpoints: [{matchExpressions: [{key: io.cilium.k8s.policy.serviceaccount, operator: In, values: [a, b]}]}]",
      ),
      watched(
        "fromEndpoints: [{matchLabels: {io.cilium.k8s.policy.serviceaccount: a}}, {matchLabels: {io.cilium.k8s.policy.serviceaccount: b}}]",
      ),
    ],
    [
      "domain names",
      watchedOut('toFQDNs: [{matchPattern: "*.example.com"}]'),
      watchedOut('toFQDNs: [{matchPattern: "*.example.com"}, {matchName: www.example.com}]'),
    ],
    [
      "ranges of ports",
      ingress(
        'fromEntities: [all], toPorts: [{ports: [{port: "80", endPort: 81, protocol: TCP}], rules: {http: [{method: GET}]}}]',
      ),
      ingress(
        'fromEntities: [all], toPorts: [{ports: [{port: "80", protocol: TCP}, {port: "81", protocol: TCP}], rules: {http: [{method: GET}]}}]',
      ),
    ],
    [
      "names of ports",
      egress(`toEntities: [all], ${dns("{port: dns}")}`),
      egress(
        `toEntities: [all], ${dns("{port: dns, protocol: TCP}, {port: dns, protocol: UDP}, {port: dns, protocol: SCTP}")}`,
      ),
    ],
  ])("removes it on one side only: %s", (_, before, after) => {
    expect(difference(before, after).outcomes).toEqual(["allowed", "allowed under a condition"]);
  });

  it.each<[what: string, before: string, after: string]>([
    [
      "the order of CIDRs",
      watched("fromCIDR: [10.0.0.0/8, 203.0.113.0/24]"),
      watched("fromCIDR: [203.0.113.0/24, 10.0.0.0/8]"),
    ],
    ["host bits", watched("fromCIDR: [10.1.2.3/8]"), watched("fromCIDR: [10.0.0.0/8]")],
    ["a set of one CIDR", watched("fromCIDRSet: [{cidr: 10.0.0.0/8}]"), watched("fromCIDR: [10.0.0.0/8]")],
    [
      "items",
      watched("fromCIDR: [10.0.0.0/8, 203.0.113.0/24]"),
      ingress(`fromCIDR: [10.0.0.0/8], ${http}`, `fromCIDR: [203.0.113.0/24], ${http}`),
    ],
    [
      "labels and expressions",
      watched("fromEndpoints: [{matchLabels: {app: a}}]"),
      watched('fromEndpoints: [{matchExpressions: [{key: "k8s:app", operator: In, values: [a]}]}]'),
    ],
    [
      "names of domains",
      watchedOut("toFQDNs: [{matchName: WWW.example.com.}]"),
      watchedOut("toFQDNs: [{matchName: www.example.com}]"),
    ],
    [
      "every protocol",
      egress(`toEntities: [all], ${dns('{port: "53"}')}`),
      egress(
        `toEntities: [all], ${dns('{port: "53", protocol: TCP}, {port: "53", protocol: UDP}, {port: "53", protocol: SCTP}')}`,
      ),
    ],
    [
      "the case of port names",
      egress(`toEntities: [all], ${dns("{port: DNS}")}`),
      egress(`toEntities: [all], ${dns("{port: dns}")}`),
    ],
    [
      "an entity as a label",
      watched('fromEndpoints: [{matchLabels: {"reserved:host": ""}}]'),
      watched("fromEntities: [host]"),
    ],
  ])("does the same on both sides: %s", (_, before, after) => {
    expect(compared(before, after)).toEqual({ result: "Same" });
  });

  it("does nothing where the condition is removed as written, or cannot be removed", () => {
    const plain = (cidrs: string) =>
      ingress(`fromCIDR: [${cidrs}], toPorts: [{ports: [{port: "80", protocol: TCP}]}]`);
    const both = (cidrs: string) => watched(`fromCIDR: [${cidrs}]`) + plain(cidrs).replace("watch", "plain");
    expect(compared(both("203.0.112.0/23"), both("203.0.112.0/24, 203.0.113.0/24")).result).toBe("Same");
    const sni = (cidrs: string) =>
      ingress(
        `fromCIDR: [${cidrs}], toPorts: [{ports: [{port: "443", protocol: TCP}], serverNames: [a.example]}]`,
      );
    expect(compared(sni("203.0.112.0/23"), sni("203.0.112.0/24, 203.0.113.0/24")).result).toBe("Same");
    const authenticated = (cidrs: string) =>
      ingress(`fromCIDR: [${cidrs}], authentication: {mode: required}`);
    expect(
      compared(authenticated("203.0.112.0/23"), authenticated("203.0.112.0/24, 203.0.113.0/24")).result,
    ).toBe("Same");
    // Nothing isolates the pods, but an owner can.
    const observed = (cidrs: string) =>
      watched(`fromCIDR: [${cidrs}]`).replace("ingress:", "enableDefaultDeny: {ingress: false}, ingress:");
    expect(
      difference(observed("203.0.112.0/23"), observed("203.0.112.0/24, 203.0.113.0/24")).outcomes,
    ).toEqual(["allowed", "allowed under a condition"]);
  });

  it("is written in the namespace of the pod, where the L7 rule is of a namespace", () => {
    const own = (peers: string) =>
      policy("CiliumNetworkPolicy", "{name: watch, namespace: shop}", `ingress: [{${peers}, ${http}}]`);
    const { owners, witness } = difference(
      own("fromEndpoints: [{matchExpressions: [{key: app, operator: In, values: [a, b]}]}]"),
      own("fromEndpoints: [{matchLabels: {app: a}}, {matchLabels: {app: b}}]"),
    );
    expect(owners).not.toContain("io.kubernetes.pod.namespace");
    expect([witness.source.namespace, witness.destination.namespace]).toEqual(["shop", "shop"]);
  });

  it("is read as Cilium is configured", () => {
    const options = { ciliumLabels: ["pod-template-hash-x"], ciliumClusterName: "east" };
    const values = (list: string) =>
      watched(
        `fromEndpoints: [{matchExpressions: [{key: pod-template-hash-x, operator: In, values: [${list}]}]}]`,
      );
    expect(difference(values("a, b"), values("b, a"), options).outcomes).toEqual([
      "allowed",
      "allowed under a condition",
    ]);
  });

  it("S7.12: has no effect where Cilium enforces nothing; nor has any other policy of an owner", () => {
    const options = { ciliumEnforcement: "never" } as const;
    const one = watched("fromCIDR: [203.0.112.0/23]");
    expect(compared(one, watched("fromCIDR: [203.0.112.0/24]"), options).result).toBe("Same");
    // A NetworkPolicy of an owner would be between the two.
    const anp = (kind: string, priority: string) =>
      `---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: ${kind}\nmetadata: {name: default}\nspec: {${priority}subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n`;
    const [admin, baseline] = [
      anp("AdminNetworkPolicy", "priority: 1, "),
      anp("BaselineAdminNetworkPolicy", ""),
    ];
    expect(compared(admin, baseline).result).toBe("Different");
    expect(compared(admin, baseline, options).result).toBe("Same");
  });
});

describe("S11.6: CIDR groups that are not the same on both sides", () => {
  const group = (name: string, cidrs: string, labels = "{}") =>
    `---\napiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata: {name: ${name}, labels: ${labels}}\nspec: {externalCIDRs: [${cidrs}]}\n`;
  const open = clusterwide("egress: [{toEntities: [all]}]");

  it("are a difference that an owner's policy shows, although no policy of the two sets names them", () => {
    const { owners, outcomes, witness } = difference(
      open + group("offices", "203.0.113.0/24"),
      open + group("offices", "203.0.113.0/25"),
    );
    expect(outcomes).toEqual(["allowed", "denied"]);
    expect(owners).toContain("cidrGroupRef: offices");
    expect(witness.ownerRules.map(({ action }) => action)).toEqual(["Deny"]);
    expect(
      compared(open + group("a", "10.0.0.0/8, 10.0.0.0/8"), open + group("a", "10.0.0.0/8")).result,
    ).toBe("Same");
  });

  it("may have other labels only", () => {
    const one = group("offices", "203.0.113.0/24", "{site: a}");
    const { owners } = difference(open + one, open + one.replace("site: a", "site: b"));
    expect(owners).toContain("cidrGroupSelector");
  });

  it("make no difference where neither side can reach them, or owners do not write policies of Cilium", () => {
    const closed = clusterPolicy("closed", {
      egress: '[{action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}]',
      ingress: "[{action: Deny, from: [{namespaces: {}}]}]",
    });
    const denied = clusterwide("egressDeny: [{toEntities: [world]}], ingressDeny: [{fromEntities: [world]}]");
    expect(compared(denied + group("a", "10.0.0.0/8"), denied + group("a", "10.0.0.0/9")).result).toBe(
      "Same",
    );
    expect(compared(closed + group("a", "10.0.0.0/8"), closed + group("a", "10.0.0.0/9")).result).toBe(
      "Same",
    );
  });
});
