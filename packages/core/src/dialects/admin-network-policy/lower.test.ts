import { describe, expect, it } from "vitest";
import { readOne } from "../../../testing/read-one.js";
import type { Provenance } from "../read.js";
import { adminNetworkPolicyKinds } from "./dialect.js";

const api = "apiVersion: policy.networking.k8s.io/v1alpha1";
const admin = (spec: string, provenance: Provenance = "file") =>
  readOne(
    adminNetworkPolicyKinds,
    `{${api}, kind: AdminNetworkPolicy, metadata: {name: guard}, spec: ${spec}}`,
    provenance,
  );
const baseline = (spec: string, provenance: Provenance = "file", name = "default") =>
  readOne(
    adminNetworkPolicyKinds,
    `{${api}, kind: BaselineAdminNetworkPolicy, metadata: {name: ${name}}, spec: ${spec}}`,
    provenance,
  );

const withRules = (rules: string, priority = 10) =>
  `{priority: ${priority}, subject: {namespaces: {}}, ${rules}}`;
const denyAll = "ingress: [{action: Deny, from: [{namespaces: {}}]}]";

describe("tier and order", () => {
  it("S4.1, S1.12: an AdminNetworkPolicy is in tier admin, its priority is its precedence", () => {
    const { rules, isolation } = admin(withRules(denyAll, 33)).lowered;
    expect(rules.map((r) => [r.tier, r.precedence, r.rank, r.rule.action])).toEqual([
      ["admin", 33, 0, "Deny"],
    ]);
    expect(isolation).toEqual([]);
  });

  it("S4.1, S1.12: a BaselineAdminNetworkPolicy is in tier baseline, and counts as 1000", () => {
    const { rules, isolation } = baseline(`{subject: {namespaces: {}}, ${denyAll}}`).lowered;
    expect(rules.map((r) => [r.tier, r.precedence, r.rank, r.rule.action])).toEqual([
      ["baseline", 1000, 0, "Deny"],
    ]);
    expect(isolation).toEqual([]);
  });

  it("S3.9: an empty or missing direction has no rules", () => {
    expect(admin(withRules("ingress: []")).lowered).toEqual({ rules: [], isolation: [] });
  });
});

describe("the seed's examples", () => {
  it("S4.2: nodes as egress peers, with ports", () => {
    const text = `{priority: 55, subject: {namespaces: {matchExpressions: [{key: security, operator: NotIn, values: [restricted]}]}},
      egress: [{name: deny-all-egress-to-kapi-server, action: Deny,
        to: [{nodes: {matchLabels: {node-role.kubernetes.io/control-plane: ""}}}],
        ports: [{portNumber: {protocol: TCP, port: 443}}, {portNumber: {protocol: TCP, port: 6443}}]}]}`;
    expect(admin(text).lowered.rules[0]?.rule).toMatchObject({
      subject: { namespaces: [{ key: "security", operator: "NotIn", values: ["restricted"] }], pods: [] },
      peers: [
        {
          kind: "nodes",
          nodes: [{ key: "node-role.kubernetes.io/control-plane", operator: "In", values: [""] }],
        },
      ],
      ports: [
        { kind: "range", protocol: "TCP", first: 443, last: 443 },
        { kind: "range", protocol: "TCP", first: 6443, last: 6443 },
      ],
      action: "Deny",
      origin: { name: "deny-all-egress-to-kapi-server", path: "spec.egress[0]" },
    });
  });

  it("S4.2: networks as egress peers match every address", () => {
    const text = withRules("egress: [{action: Pass, to: [{networks: [0.0.0.0/0]}]}]");
    expect(admin(text).lowered.rules[0]?.rule).toMatchObject({
      action: "Pass",
      peers: [
        {
          kind: "networks",
          cidrs: [{ family: 4, first: 0n, prefix: 0 }],
          except: [],
          reach: "every-address",
        },
      ],
      ports: "every",
    });
  });
});

describe("peers and ports", () => {
  it("S4.1: namespaces, pods and domain names", () => {
    const text = withRules(`egress: [{action: Allow,
      to: [{namespaces: {matchLabels: {a: b}}}, {pods: {namespaceSelector: {}, podSelector: {matchLabels: {c: d}}}}, {domainNames: ["*.Example.com."]}]}]`);
    expect(admin(text).lowered.rules[0]?.rule.peers).toEqual([
      {
        kind: "pods",
        namespaces: { kind: "selector", match: [{ key: "a", operator: "In", values: ["b"] }] },
        pods: { kind: "selector", match: [] },
      },
      {
        kind: "pods",
        namespaces: { kind: "selector", match: [] },
        pods: { kind: "selector", match: [{ key: "c", operator: "In", values: ["d"] }] },
      },
      { kind: "domains", patterns: [{ kind: "subdomains", text: "example.com" }], reach: "external" },
    ]);
  });

  it("S1.8, S3.8: numbers, names and ranges; a range of one port is one port", () => {
    const text = withRules(`ingress: [{action: Allow, from: [{namespaces: {}}],
      ports: [{portNumber: {port: 80}}, {namedPort: web}, {portRange: {protocol: UDP, start: 9, end: 9}}]}]`);
    expect(admin(text).lowered.rules[0]?.rule.ports).toEqual([
      { kind: "range", protocol: "TCP", first: 80, last: 80 },
      { kind: "named", name: "web" },
      { kind: "range", protocol: "UDP", first: 9, last: 9 },
    ]);
  });
});

describe("S4.3: from a cluster, what is not understood fails closed", () => {
  const firstRule = (rule: string) =>
    admin(withRules(`egress: [{${rule}}]`), "cluster").lowered.rules[0]?.rule;
  const nothing = { action: "Allow", peers: [] };
  const deniesAll = { action: "Deny", peers: [{ kind: "everything" }], ports: "every" };

  it.each([
    ["an unknown peer in an Allow rule", "action: Allow, to: [{services: {}}]", nothing],
    ["an unknown peer in a Deny rule", "action: Deny, to: [{services: {}}]", deniesAll],
    ["an unknown peer in a Pass rule", "action: Pass, to: [{}]", deniesAll],
    ["a peer of KEP-2091", "action: Deny, to: [{namespaces: {sameLabels: [a]}}]", deniesAll],
    ["an unknown port in an Allow rule", "action: Allow, to: [{namespaces: {}}], ports: [{}]", nothing],
    [
      "an unknown port in a Deny rule",
      "action: Deny, to: [{namespaces: {}}], ports: [{icmp: {}}]",
      deniesAll,
    ],
    ["an empty port name", 'action: Deny, to: [{namespaces: {}}], ports: [{namedPort: ""}]', deniesAll],
    [
      "a range that ends before it starts",
      "action: Deny, to: [{namespaces: {}}], ports: [{portRange: {start: 9, end: 8}}]",
      deniesAll,
    ],
    ["an unknown action", "action: Log, to: [{namespaces: {}}]", deniesAll],
    ["S8.2: domain names in a Deny rule", "action: Deny, to: [{domainNames: [a.io]}]", deniesAll],
  ])("S4.3: %s", (_, rule, expected) => {
    expect(firstRule(rule)).toMatchObject(expected);
    expect(firstRule(rule)?.failedClosed).toBeDefined();
  });

  it("S4.1, S4.3: a BaselineAdminNetworkPolicy knows neither Pass nor domain names", () => {
    const text = `{subject: {namespaces: {}}, egress: [{action: Pass, to: [{namespaces: {}}]}, {action: Allow, to: [{domainNames: [a.io]}]}]}`;
    expect(baseline(text, "cluster").lowered.rules.map((r) => r.rule)).toMatchObject([deniesAll, nothing]);
  });

  it("S4.1: a BaselineAdminNetworkPolicy of another name is evaluated", () => {
    expect(
      baseline(`{subject: {namespaces: {}}, ${denyAll}}`, "cluster", "other").lowered.rules,
    ).toHaveLength(1);
  });

  it("S4.2: any number of networks is evaluated", () => {
    const cidrs = Array.from({ length: 101 }, (_, i) => `10.0.${i}.0/24`);
    expect(firstRule(`action: Deny, to: [{networks: [${cidrs.join(", ")}]}]`)?.failedClosed).toBeUndefined();
  });

  it.each([
    ["an unknown subject", "{priority: 1, subject: {nodes: {}}, RULES}", "spec.subject"],
    ["no subject", "{priority: 1, RULES}", "spec.subject"],
    ["no priority", "{subject: {namespaces: {}}, RULES}", "spec.priority"],
    ["no spec", "", "spec.priority"],
  ])("S4.3: with %s the policy is not enforced, and that is reported", (_, spec, path) => {
    const { lowered, found } = admin(spec.replace("RULES", denyAll), "cluster");
    expect(lowered).toEqual({ rules: [], isolation: [] });
    expect(found).toContain(`TW2016 ${path}`);
  });

  it("S4.3: nor is a BaselineAdminNetworkPolicy without a spec", () => {
    expect(baseline("", "cluster").lowered).toEqual({ rules: [], isolation: [] });
  });
});
