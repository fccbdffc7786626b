import { describe, expect, it } from "vitest";
import { parseCidr } from "../../net/cidr.js";
import { readOne } from "../../../testing/read-one.js";
import type { Provenance } from "../read.js";
import { networkPolicyKinds } from "./dialect.js";

const lower = (spec: string, from: Provenance = "file") =>
  readOne(
    networkPolicyKinds,
    `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: a, name: np}\nspec: ${spec}`,
    from,
  ).lowered;

const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
const inA = [requirement("kubernetes.io/metadata.name", "a")];

describe("S2.1: what a NetworkPolicy contributes", () => {
  it("S2.1: rules that allow and isolation, in tier network-policy, for its pods in its namespace", () => {
    const { rules, isolation } = lower("{podSelector: {matchLabels: {app: web}}, ingress: [{}]}");
    const subject = { namespaces: inA, pods: [requirement("app", "web")] };
    expect(rules).toMatchObject([
      {
        tier: "network-policy",
        rule: { subject, action: "Allow", origin: { direction: "ingress", index: 0 } },
      },
    ]);
    expect(isolation).toMatchObject([
      { tier: "network-policy", direction: "ingress", subject, origin: { kind: "policy" } },
    ]);
  });

  it.each([
    ["nothing", "", ["ingress"]],
    ["ingress rules", "ingress: [{}]", ["ingress"]],
    ["egress rules", "egress: [{}]", ["ingress", "egress"]],
    ["an empty egress section", "egress: []", ["ingress"]],
    ["an egress section without a value", "egress: ", ["ingress"]],
    ["no policyTypes at all in the list", "policyTypes: [], egress: [{}]", ["ingress", "egress"]],
    ["Ingress", "policyTypes: [Ingress]", ["ingress"]],
    ["Egress", "policyTypes: [Egress]", ["egress"]],
    ["both", "policyTypes: [Egress, Ingress]", ["ingress", "egress"]],
    ["Egress with ingress rules", "policyTypes: [Egress], ingress: [{}]", ["egress"]],
    ["Ingress with egress rules", "policyTypes: [Ingress], egress: [{}]", ["ingress"]],
  ])("S2.1: %s: isolated in the right directions, with rules in no other", (_, spec, directions) => {
    const { rules, isolation } = lower(`{podSelector: {}, ${spec}}`);
    expect(isolation.map(({ direction }) => direction)).toEqual(directions);
    for (const { rule } of rules) expect(directions).toContain(rule.origin.direction);
  });

  it("S2.1: a rule has its place", () => {
    const { rules } = lower("{podSelector: {}, ingress: [{}, {}], egress: [{}]}");
    expect(rules.map(({ rule }) => rule.origin.path)).toEqual([
      "spec.ingress[0]",
      "spec.ingress[1]",
      "spec.egress[0]",
    ]);
    expect(rules.map(({ rule }) => rule.origin.place())[1]).toMatchObject({ line: 4, column: 39 });
  });
});

describe("S2.2: peers", () => {
  const peers = (from: string) =>
    lower(`{podSelector: {}, ingress: [{${from}}]}`).rules.flatMap(({ rule }) => rule.peers);
  const everything = [{ kind: "everything" }];
  const pods = (namespaces: unknown, match: unknown) => [
    { kind: "pods", namespaces: { kind: "selector", match: namespaces }, pods: { kind: "selector", match } },
  ];

  it.each([
    ["a missing list is everything", "", everything],
    ["so is an empty one", "from: []", everything],
    ["so is one without a value", "from: ", everything],
    [
      "a lone podSelector is of the policy's own namespace",
      "from: [{podSelector: {matchLabels: {app: web}}}]",
      pods(inA, [requirement("app", "web")]),
    ],
    [
      "a lone namespaceSelector is every pod there",
      "from: [{namespaceSelector: {matchLabels: {team: b}}}]",
      pods([requirement("team", "b")], []),
    ],
    [
      "both: those pods of those namespaces",
      "from: [{podSelector: {matchLabels: {app: web}}, namespaceSelector: {}}]",
      pods([], [requirement("app", "web")]),
    ],
    [
      "two items: either",
      "from: [{podSelector: {}}, {namespaceSelector: {}}]",
      [...pods(inA, []), ...pods([], [])],
    ],
  ])("S2.2: %s", (_, from, expected) => {
    expect(peers(from)).toEqual(expected);
  });

  it("S2.3: an ipBlock is for every address, less its exceptions", () => {
    expect(peers("from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]")).toEqual([
      {
        kind: "networks",
        cidrs: [parseCidr("10.0.0.0/8")],
        except: [parseCidr("10.1.0.0/16")],
        reach: "every-address",
      },
    ]);
  });
});

describe("S2.4: ports", () => {
  const ports = (text: string) =>
    lower(`{podSelector: {}, ingress: [{${text}}]}`).rules.map(({ rule }) => rule.ports);
  const range = (first: number, last: number, protocol = "TCP") => [{ kind: "range", protocol, first, last }];

  it.each([
    ["S2.2: a missing list is every port", "", "every"],
    ["S2.2: so is an empty one", "ports: []", "every"],
    ["S2.4: a number, TCP unless given", "ports: [{port: 80}]", range(80, 80)],
    ["S2.4: a number of a protocol", "ports: [{port: 53, protocol: UDP}]", range(53, 53, "UDP")],
    ["S2.4: an inclusive range", "ports: [{port: 80, endPort: 90}]", range(80, 90)],
    ["S2.4: a name", "ports: [{port: web}]", [{ kind: "named", name: "web", protocol: "TCP" }]],
    ["S2.4: no port is every port of the protocol", "ports: [{protocol: SCTP}]", range(1, 65535, "SCTP")],
    ["S2.4: nothing at all is every port of TCP", "ports: [{}]", range(1, 65535)],
  ])("%s", (_, text, expected) => {
    expect(ports(text)).toEqual([expected]);
  });
});

describe("S3.6: from a cluster", () => {
  it.each([
    ["an unknown peer", "from: [{podSelector: {}}, {tomorrow: {}}]"],
    ["an unknown field next to a known one", "from: [{podSelector: {}, tomorrow: {}}]"],
    ["a peer with nothing in it", "from: [{}]"],
    ["an unknown port", "ports: [{port: 80, tomorrow: 1}]"],
    ["an unknown field of the rule", "tomorrow: {}"],
  ])("S3.6: %s makes its whole rule allow nothing, and the isolation stays", (_, rule) => {
    const { rules, isolation } = lower(`{podSelector: {}, ingress: [{${rule}}, {}]}`, "cluster");
    expect(rules.map(({ rule }) => [rule.peers.length, rule.failedClosed !== undefined])).toEqual([
      [0, true],
      [1, false],
    ]);
    expect(isolation).toHaveLength(1);
  });

  it("S3.6: an unknown subject is not enforced", () => {
    expect(lower("{podSelector: {tomorrow: {}}, ingress: [{}]}", "cluster")).toEqual({
      rules: [],
      isolation: [],
    });
  });
});
