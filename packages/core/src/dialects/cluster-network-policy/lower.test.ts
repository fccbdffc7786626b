import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/model.js";
import { readOne } from "../../../testing/read-one.js";
import type { Provenance } from "../read.js";
import { clusterNetworkPolicyKinds } from "./dialect.js";

const read = (spec: string, provenance: Provenance = "file") =>
  readOne(
    clusterNetworkPolicyKinds,
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: guard}, spec: ${spec}}`,
    provenance,
  );

const inTier = (tier: string, rules: string, priority = 10) =>
  `{tier: ${tier}, priority: ${priority}, subject: {namespaces: {}}, ${rules}}`;

const rulesOf = (spec: string, provenance: Provenance = "file"): readonly Rule[] =>
  read(spec, provenance).lowered.rules.map(({ rule }) => rule);

const everyPod = {
  kind: "pods",
  namespaces: { kind: "selector", match: [] },
  pods: { kind: "selector", match: [] },
};
const is = (key: string, value: string) => ({ key, operator: "In", values: [value] });

describe("tier and order", () => {
  it.each([
    ["admin", "admin"],
    ["Admin", "admin"],
    ["baseline", "baseline"],
    ["Baseline", "baseline"],
  ])("S3.1, S3.2: tier %s is %s, with the priority as precedence", (written, tier) => {
    const { rules } = read(inTier(written, "ingress: [{action: Deny, from: [{namespaces: {}}]}]", 7)).lowered;
    expect(rules.map((r) => [r.tier, r.precedence, r.rank])).toEqual([[tier, 7, 0]]);
  });

  it("S1.1: rules keep their order, direction, name and place", () => {
    const origins = rulesOf(
      inTier(
        "Admin",
        "egress: [{name: first, action: Deny, to: [{nodes: {}}]}, {action: Pass, to: [{namespaces: {}}]}]",
      ),
    ).map(({ origin }) => [origin.direction, origin.index, origin.name, origin.path]);
    expect(origins).toEqual([
      ["egress", 0, "first", "spec.egress[0]"],
      ["egress", 1, undefined, "spec.egress[1]"],
    ]);
  });

  it("S3.9: nothing is isolated, and a missing or empty direction has no rules", () => {
    expect(read(inTier("Baseline", "ingress: []")).lowered).toEqual({ rules: [], isolation: [] });
    const { isolation } = read(
      inTier("admin", "ingress: [{action: Deny, from: [{namespaces: {}}]}]"),
    ).lowered;
    expect(isolation).toEqual([]);
  });

  it.each([
    ["S3.1: Accept is Allow", "Admin", "Accept", "Allow"],
    ["S3.1: Allow", "admin", "Allow", "Allow"],
    ["S3.1: Deny", "Admin", "Deny", "Deny"],
    ["S3.3: Pass, in the baseline too", "baseline", "Pass", "Pass"],
  ])("%s", (_, tier, written, action) => {
    expect(
      rulesOf(inTier(tier, `ingress: [{action: ${written}, from: [{namespaces: {}}]}]`))[0]?.action,
    ).toBe(action);
  });
});

describe("subject", () => {
  const subjectOf = (tier: string, subject: string) =>
    rulesOf(
      `{tier: ${tier}, priority: 1, subject: ${subject}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}`,
    )[0]?.subject;

  it("S3.4: namespaces, and all pods in them", () => {
    expect(subjectOf("Admin", "{namespaces: {matchLabels: {team: a}}}")).toEqual({
      namespaces: [is("team", "a")],
      pods: [],
    });
  });

  it("S3.4: pods of namespaces", () => {
    const text =
      "{pods: {namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {app: web}}}}";
    expect(subjectOf("admin", text)).toEqual({ namespaces: [is("team", "a")], pods: [is("app", "web")] });
  });

  it("S3.8: pods of every namespace, where the released spelling leaves the namespaces out", () => {
    expect(subjectOf("Admin", "{pods: {podSelector: {matchLabels: {app: web}}}}")).toEqual({
      namespaces: [],
      pods: [is("app", "web")],
    });
  });
});

describe("peers", () => {
  const peersOf = (peer: string) =>
    rulesOf(inTier("Admin", `egress: [{action: Accept, to: [${peer}]}]`))[0]?.peers;

  it.each([
    ["S3.4: every pod", "{namespaces: {}}", everyPod],
    [
      "S3.4: pods",
      "{pods: {namespaceSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d}}}}",
      {
        kind: "pods",
        namespaces: { kind: "selector", match: [is("a", "b")] },
        pods: { kind: "selector", match: [is("c", "d")] },
      },
    ],
    ["S3.8: pods anywhere", "{pods: {podSelector: {}}}", everyPod],
    ["S3.4: nodes", "{nodes: {matchLabels: {role: cp}}}", { kind: "nodes", nodes: [is("role", "cp")] }],
    [
      "S3.4: networks of both families, pods' addresses included",
      '{networks: [10.1.0.0/16, "fd00::/8"]}',
      {
        kind: "networks",
        cidrs: [
          { family: 4, first: 0x0a010000n, prefix: 16 },
          { family: 6, first: 0xfdn << 120n, prefix: 8 },
        ],
        except: [],
        reach: "every-address",
      },
    ],
    [
      "S3.8: a network with host bits is read as the network",
      "{networks: [10.1.2.3/16]}",
      {
        kind: "networks",
        cidrs: [{ family: 4, first: 0x0a010000n, prefix: 16 }],
        except: [],
        reach: "every-address",
      },
    ],
    [
      "S8.1, S8.3: domain names, without case and trailing dot, external only",
      '{domainNames: [Kubernetes.IO., "*.kubernetes.io"]}',
      {
        kind: "domains",
        patterns: [
          { kind: "exact", text: "kubernetes.io" },
          { kind: "subdomains", text: "kubernetes.io" },
        ],
        reach: "external",
      },
    ],
  ])("%s", (_, peer, expected) => {
    expect(peersOf(peer)).toEqual([expected]);
  });

  it("S3.8: several peers are alternatives", () => {
    expect(peersOf("{namespaces: {}}, {nodes: {}}")).toEqual([everyPod, { kind: "nodes", nodes: [] }]);
  });
});

describe("ports", () => {
  const ports = (tier: string, text: string) =>
    rulesOf(inTier(tier, `ingress: [{action: Deny, from: [{namespaces: {}}]${text}}]`))[0]?.ports;

  it.each([
    ["S1.7: none as released: every port of every protocol", "Admin", "", "every"],
    ["S1.7: none in the seed's spelling", "admin", "", "every"],
    [
      "S3.1: a number, a range and a name as released",
      "Admin",
      `, protocols: [{tcp: {destinationPort: {number: 80}}}, {udp: {destinationPort: {range: {start: 1, end: 9}}}},
        {sctp: {destinationPort: {number: 7}}}, {destinationNamedPort: web}]`,
      [
        { kind: "range", protocol: "TCP", first: 80, last: 80 },
        { kind: "range", protocol: "UDP", first: 1, last: 9 },
        { kind: "range", protocol: "SCTP", first: 7, last: 7 },
        { kind: "named", name: "web" },
      ],
    ],
    [
      "S3.1, S3.8: a number, a range and a name in the seed's spelling, where TCP is the default",
      "admin",
      ", ports: [{portNumber: {port: 80}}, {portNumber: {protocol: UDP, port: 53}}, {portRange: {start: 1, end: 9}}, {namedPort: web}]",
      [
        { kind: "range", protocol: "TCP", first: 80, last: 80 },
        { kind: "range", protocol: "UDP", first: 53, last: 53 },
        { kind: "range", protocol: "TCP", first: 1, last: 9 },
        { kind: "named", name: "web" },
      ],
    ],
  ])("%s", (_, tier, text, expected) => {
    expect(ports(tier, text)).toEqual(expected);
  });
});

describe("S3.6: from a cluster, what is not understood fails closed", () => {
  const everyone = "[{namespaces: {}}]";

  describe.each([
    ["an unknown peer", "to: [{services: {}}]"],
    ["an unknown field next to a known one", "to: [{namespaces: {}, services: {}}]"],
    ["a peer with nothing", "to: [{}]"],
    ["one peer of several", "to: [{namespaces: {}}, {}]"],
    ["an unknown part of a selector", "to: [{namespaces: {matchFields: {}}}]"],
    [
      "a selector operator of a newer Kubernetes",
      "to: [{namespaces: {matchExpressions: [{key: a, operator: Gt, values: [b]}]}}]",
    ],
    ["an invalid network", "to: [{networks: [10.0.0.0/8, office]}]"],
    ["no peers", "protocols: [{tcp: {destinationPort: {number: 80}}}]"],
    ["an empty list of peers", "to: []"],
    ["peers that are no list", "to: {namespaces: {}}"],
    ["a peer that is no object", "to: [all]"],
    ["an unknown protocol", `to: ${everyone}, protocols: [{icmp: {}}]`],
    ["a protocol with nothing", `to: ${everyone}, protocols: [{}]`],
    ["`tcp: {}`", `to: ${everyone}, protocols: [{tcp: {}}]`],
    [
      "an unknown part of a protocol",
      `to: ${everyone}, protocols: [{tcp: {destinationPort: {number: 80}, sourcePort: {}}}]`,
    ],
    ["an unknown field of the rule", `to: ${everyone}, unless: {}`],
    ["`ports` of the other spelling", `to: ${everyone}, ports: [{portNumber: {port: 80}}]`],
  ])("%s", (_, parts) => {
    const rule = (action: string) =>
      rulesOf(inTier("Admin", `egress: [{action: ${action}, ${parts}}]`), "cluster")[0];

    it("S3.6: in an Accept rule matches nothing", () => {
      expect(rule("Accept")).toMatchObject({ action: "Allow", peers: [] });
      expect(rule("Accept")?.failedClosed).toContain("allows nothing");
    });

    it.each(["Deny", "Pass"])("S3.6: in a %s rule denies everything, whatever the ports", (action) => {
      expect(rule(action)).toMatchObject({ action: "Deny", peers: [{ kind: "everything" }], ports: "every" });
      expect(rule(action)?.failedClosed).toContain("denies everything");
    });
  });

  it.each([
    ["an unknown action", "action: Log, to: [{namespaces: {}}]"],
    ["the action of the other spelling", "action: Allow, to: [{namespaces: {}}]"],
    ["no action", "to: [{namespaces: {}}]"],
  ])("S3.6: %s denies everything", (_, parts) => {
    const [rule] = rulesOf(inTier("Admin", `egress: [{${parts}}]`), "cluster");
    expect(rule).toMatchObject({ action: "Deny", peers: [{ kind: "everything" }], ports: "every" });
  });

  it.each([
    ["an invalid rule", "[deny]"],
    ["a direction that is not a list", "{}"],
  ])("S3.6: %s denies everything in its direction", (_, egress) => {
    const rules = rulesOf(inTier("Admin", `egress: ${egress}`), "cluster");
    expect(rules).toMatchObject([
      { action: "Deny", peers: [{ kind: "everything" }], origin: { direction: "egress" } },
    ]);
  });

  it("S3.6: the rule stays at its place, and the others are as written", () => {
    const rules = rulesOf(
      inTier(
        "Admin",
        "egress: [{action: Accept, to: [{nodes: {}}]}, {action: Deny, to: [{}]}, {action: Pass, to: [{nodes: {}}]}]",
      ),
      "cluster",
    );
    expect(rules.map((r) => [r.origin.index, r.action, r.failedClosed !== undefined])).toEqual([
      [0, "Allow", false],
      [1, "Deny", true],
      [2, "Pass", false],
    ]);
  });

  it("S3.6, S10.2: says which part it was", () => {
    const { lowered, found } = read(
      inTier("Admin", "egress: [{action: Deny, to: [{namespaces: {}}, {}]}]"),
      "cluster",
    );
    expect(lowered.rules[0]?.rule.failedClosed).toBe(
      "`to[1]` is not understood, so this rule denies everything",
    );
    expect(found).toEqual(["TW2015 spec.egress[0].to[1]"]);
  });

  it("S8.2: domain names in a Deny or Pass rule deny everything", () => {
    const text = (action: string) =>
      inTier("Admin", `egress: [{action: ${action}, to: [{domainNames: [a.io]}]}]`);
    for (const action of ["Deny", "Pass"])
      expect(rulesOf(text(action), "cluster")).toMatchObject([
        { action: "Deny", peers: [{ kind: "everything" }] },
      ]);
  });

  it.each([
    ["an unknown tier", "{tier: Platform, priority: 1, subject: {namespaces: {}}, RULES}", "spec.tier"],
    ["no tier", "{priority: 1, subject: {namespaces: {}}, RULES}", "spec.tier"],
    ["no priority", "{tier: Admin, subject: {namespaces: {}}, RULES}", "spec.priority"],
    ["an unknown subject", "{tier: Admin, priority: 1, subject: {nodes: {}}, RULES}", "spec.subject"],
    [
      "an unknown field next to a known one in the subject",
      "{tier: Admin, priority: 1, subject: {namespaces: {}, nodes: {}}, RULES}",
      "spec.subject",
    ],
    ["an empty subject", "{tier: Admin, priority: 1, subject: {}, RULES}", "spec.subject"],
    ["no subject", "{tier: Admin, priority: 1, RULES}", "spec.subject"],
    ["an invalid subject", "{tier: Admin, priority: 1, subject: all, RULES}", "spec.subject"],
    ["no spec", "", "spec.tier"],
  ])("S3.6: with %s the policy is not enforced, and that is reported", (_, spec, path) => {
    const { lowered, found } = read(
      spec.replace("RULES", "egress: [{action: Deny, to: [{namespaces: {}}]}]"),
      "cluster",
    );
    expect(lowered).toEqual({ rules: [], isolation: [] });
    expect(found).toContain(`TW2016 ${path}`);
  });
});

describe("from a cluster, what is understood is evaluated as written", () => {
  const only = (rules: string) => rulesOf(inTier("Admin", rules), "cluster")[0];

  it("S3.7: a named port with networks", () => {
    const rule = only(
      "egress: [{action: Deny, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: web}]}]",
    );
    expect(rule).toMatchObject({
      action: "Deny",
      peers: [{ kind: "networks" }],
      ports: [{ kind: "named", name: "web" }],
    });
    expect(rule?.failedClosed).toBeUndefined();
  });

  it.each([
    ["S3.2: a priority out of range", "{tier: Admin, priority: 2000, subject: {namespaces: {}}, RULES}"],
    [
      "S3.8: a long rule name",
      inTier("Admin", `ingress: [{name: ${"x".repeat(101)}, action: Deny, from: [{namespaces: {}}]}]`),
    ],
    [
      "S3.8: a duplicate",
      inTier("Admin", "egress: [{action: Deny, to: [{networks: [10.0.0.0/8, 10.0.0.0/8]}]}]"),
    ],
    [
      "S3.8: a range of one port",
      inTier(
        "admin",
        "ingress: [{action: Deny, from: [{namespaces: {}}], ports: [{portRange: {start: 8, end: 8}}]}]",
      ),
    ],
    [
      "S1.8: a name no port has",
      inTier("admin", "ingress: [{action: Deny, from: [{namespaces: {}}], ports: [{namedPort: Web}]}]"),
    ],
    ["an unknown field of the spec", inTier("Admin", "description: none, RULES")],
  ])("%s", (_, spec) => {
    const { lowered, found } = read(
      spec.replace("RULES", "ingress: [{action: Deny, from: [{namespaces: {}}]}]"),
      "cluster",
    );
    expect(lowered.rules.map(({ rule }) => [rule.action, rule.failedClosed])).toEqual([["Deny", undefined]]);
    expect(found).toHaveLength(1);
  });

  it("S3.2: a priority out of range is still a place in the order", () => {
    expect(
      read(inTier("Admin", "ingress: [{action: Deny, from: [{namespaces: {}}]}]", 2000), "cluster").lowered
        .rules[0]?.precedence,
    ).toBe(2000);
  });
});
