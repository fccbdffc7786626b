import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleTiers } from "../../policy/assemble.js";
import type { Provenance } from "../read.js";
import { readOne } from "../../../testing/read-one.js";
import { kep2091Kinds } from "./dialect.js";

const read = (spec: string, { name = "p", from = "file" }: { name?: string; from?: Provenance } = {}) =>
  readOne(
    kep2091Kinds,
    `apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: ${name}}\nspec: ${spec}`,
    from,
  );
const rulesOf = (spec: string) => read(spec).lowered.rules;
const live = (spec: string) => read(spec, { from: "cluster" });

const subject = "subject: {namespaceSelector: {}}";
const anyPod = "namespaces: {namespaceSelector: {}}";
const rule = (action: string, peer = anyPod, l4 = "{allPorts: true}") =>
  `{action: ${action}, from: [{${peer}}], l4Selector: ${l4}}`;
const ingress = (...rules: string[]) => `{priority: 5, ${subject}, ingress: [${rules.join()}]}`;
const peersOf = (peer: string) => rulesOf(ingress(rule("Deny", peer)))[0]?.rule.peers;
const portsOf = (l4: string) => rulesOf(ingress(rule("Deny", anyPod, l4)))[0]?.rule.ports;

const everyPod = { kind: "selector", match: [] };
const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
const saying = (text: string): unknown => expect.stringContaining(text);
const deniesEverything = { action: "Deny", peers: [{ kind: "everything" }], ports: "every" };

describe("S5.1: the position of a policy", () => {
  it.each([
    [1, "admin", 999],
    [1000, "admin", 0],
    [0, "baseline", 1000],
  ])("S5.1: priority %i is tier %s, precedence %i", (priority, tier, precedence) => {
    const placed = rulesOf(`{priority: ${priority}, ${subject}, ingress: [${rule("Deny")}]}`);
    expect(placed).toMatchObject([{ tier, precedence }]);
  });

  it("S5.1, S1.12: the larger priority comes first, and rules keep their order within a policy", () => {
    const policy = (name: string, priority: number) =>
      read(`{priority: ${priority}, ${subject}, ingress: [${rule("Pass")}, ${rule("Deny")}]}`, { name })
        .lowered;
    const tiers = assembleTiers([
      policy("low", 1),
      policy("high", 70),
      policy("middle", 9),
      policy("zero", 0),
    ]).ingress;
    const order = tiers.map(({ name, rules }) => [
      name,
      rules.map((r) => `${r.origin.policy.name} ${r.action}`),
    ]);
    expect(order).toEqual([
      ["admin", ["high Pass", "high Deny", "middle Pass", "middle Deny", "low Pass", "low Deny"]],
      ["baseline", ["zero Pass", "zero Deny"]],
    ]);
  });

  it("S5.1: from a cluster a priority above 1000 is evaluated as the int32 it is", () => {
    const { found, lowered } = live(`{priority: 5000, ${subject}, ingress: [${rule("Deny")}]}`);
    expect(found).toEqual(["TW2017 spec.priority"]);
    expect(lowered.rules).toMatchObject([{ tier: "admin", precedence: -4000, rule: { action: "Deny" } }]);
  });

  it.each(["priority: -1,", "priority: 1.5,", "priority: 3000000000,", "priority: high,", ""])(
    "S5.1, S3.6: from a cluster %j is an invalid priority: not enforced, and reported",
    (priority) => {
      const { found, lowered } = live(`{${priority} ${subject}, ingress: [${rule("Deny")}]}`);
      expect(lowered).toEqual({ rules: [], isolation: [] });
      expect(found).toContain("TW2016 spec.priority");
    },
  );
});

describe("S5.3: which pods are selected", () => {
  it("S5.3: a namespaceSelector selects every pod of those namespaces", () => {
    const [placed] = rulesOf(
      `{priority: 5, subject: {namespaceSelector: {matchLabels: {a: b}}}, ingress: [${rule("Deny")}]}`,
    );
    expect(placed?.rule.subject).toEqual({ namespaces: [requirement("a", "b")], pods: [] });
  });

  const narrowed = (parts: string) =>
    `{priority: 5, subject: {namespaceAndPodSelector: {${parts}}}, ingress: [${rule("Deny")}]}`;

  it("S5.3: a namespaceAndPodSelector selects by both", () => {
    const [placed] = rulesOf(
      narrowed("namespaceSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d}}"),
    );
    expect(placed?.rule.subject).toEqual({
      namespaces: [requirement("a", "b")],
      pods: [requirement("c", "d")],
    });
  });

  it("S5.6: from a cluster a missing podSelector is {}, a missing namespaceSelector is an unknown subject", () => {
    const withoutPods = live(narrowed("namespaceSelector: {matchLabels: {a: b}}"));
    expect(withoutPods.lowered.rules).toMatchObject([
      { rule: { subject: { namespaces: [requirement("a", "b")], pods: [] } } },
    ]);
    expect(withoutPods.found).toEqual(["TW2017 spec.subject.namespaceAndPodSelector"]);
    const withoutNamespaces = live(narrowed("podSelector: {}"));
    expect(withoutNamespaces.lowered.rules).toEqual([]);
    expect(withoutNamespaces.found).toContain("TW2016 spec.subject");
  });

  it.each([
    "",
    "subject: {},",
    "subject: {nodeSelector: {}},",
    "subject: {namespaceSelector: {}, services: {}},",
    "subject: 5,",
  ])("S5.9: from a cluster %j is an unknown subject: no effect, and reported", (text) => {
    const { found, lowered } = live(`{priority: 5, ${text} ingress: [${rule("Deny")}]}`);
    expect(lowered).toEqual({ rules: [], isolation: [] });
    expect(found).toContain("TW2016 spec.subject");
  });

  it.each(["", "null", "5", "{}"])(
    "S3.6: from a cluster `spec: %s` is not enforced, and does not throw",
    (spec) => {
      expect(live(spec).lowered).toEqual({ rules: [], isolation: [] });
    },
  );
});

describe("S5.3, S5.4, S5.7: peers are always pods", () => {
  const cases: readonly [string, object, object][] = [
    ["namespaces: {self: true}", { kind: "self" }, everyPod],
    ["namespaces: {notSelf: true}", { kind: "not-self" }, everyPod],
    ["namespaces: {namespaceSelector: {}}", everyPod, everyPod],
    [
      "namespaces: {namespaceSelector: {matchLabels: {a: b}}}",
      { kind: "selector", match: [requirement("a", "b")] },
      everyPod,
    ],
    ["namespaces: {sameLabels: [tenant]}", { kind: "same-labels", keys: ["tenant"] }, everyPod],
    ["namespaces: {notSameLabels: [tenant]}", { kind: "not-same-labels", keys: ["tenant"] }, everyPod],
    [
      "namespacedPods: {namespaces: {self: true}, pods: {podSelector: {matchLabels: {app: b}}}}",
      { kind: "self" },
      { kind: "selector", match: [requirement("app", "b")] },
    ],
    [
      "namespacedPods: {namespaces: {notSameLabels: [t]}, pods: {sameLabels: [app]}}",
      { kind: "not-same-labels", keys: ["t"] },
      { kind: "same-labels", keys: ["app"] },
    ],
    [
      "namespacedPods: {namespaces: {namespaceSelector: {}}, pods: {notSameLabels: [app, zone]}}",
      everyPod,
      { kind: "not-same-labels", keys: ["app", "zone"] },
    ],
  ];
  it.each(cases)("%s", (peer, namespaces, pods) => {
    expect(peersOf(peer)).toEqual([{ kind: "pods", namespaces, pods }]);
  });

  const labelKeys = fc.uniqueArray(
    fc.stringMatching(/^([a-z]{1,5}(\.[a-z]{1,3})?\/)?[a-z][a-z_.-]{0,4}[a-z]$/),
    { maxLength: 4 },
  );
  const sets = fc.constantFrom(
    ["sameLabels", "same-labels"] as const,
    ["notSameLabels", "not-same-labels"] as const,
  );

  it("S5.4: any label set keeps its keys and its kind, for namespaces and for pods; an empty one stays empty", () => {
    fc.assert(
      fc.property(labelKeys, sets, labelKeys, sets, (keys, [field, kind], podKeys, [podField, podKind]) => {
        const namespaces = `namespaces: ${JSON.stringify({ [field]: keys })}`;
        const pods = `pods: ${JSON.stringify({ [podField]: podKeys })}`;
        expect(peersOf(namespaces)).toEqual([{ kind: "pods", namespaces: { kind, keys }, pods: everyPod }]);
        expect(peersOf(`namespacedPods: {${namespaces}, ${pods}}`)).toEqual([
          { kind: "pods", namespaces: { kind, keys }, pods: { kind: podKind, keys: podKeys } },
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it("S5.4: a label set means the same at any priority, in any direction, under any action", () => {
    const places = fc.record({
      priority: fc.integer({ min: 0, max: 1000 }),
      direction: fc.constantFrom("ingress", "egress"),
      action: fc.constantFrom("Allow", "Deny", "Pass"),
    });
    fc.assert(
      fc.property(places, labelKeys, sets, ({ priority, direction, action }, keys, [field, kind]) => {
        const peers = `${direction === "ingress" ? "from" : "to"}: [{namespaces: ${JSON.stringify({ [field]: keys })}}]`;
        const placed = rulesOf(
          `{priority: ${priority}, ${subject}, ${direction}: [{action: ${action}, ${peers}, l4Selector: {allPorts: true}}]}`,
        );
        expect(placed).toMatchObject([
          {
            rule: { action, peers: [{ namespaces: { kind, keys }, pods: everyPod }], origin: { direction } },
          },
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it("S5.6: an empty or missing from or to is a rule that matches nothing", () => {
    const l4 = "l4Selector: {allPorts: true}";
    const spec = `{priority: 5, ${subject}, ingress: [{action: Deny, from: [], ${l4}}, {action: Deny, ${l4}}], egress: [{action: Allow, ${l4}}]}`;
    expect(rulesOf(spec).map(({ rule: { peers } }) => peers)).toEqual([[], [], []]);
  });
});

describe("S5.5: ports", () => {
  const range = (first: number, last = first, protocol = "TCP") => ({ kind: "range", protocol, first, last });
  const cases: readonly [string, unknown][] = [
    ["{allPorts: true}", "every"],
    ["{ports: []}", []],
    ["{ports: [{port: 80}]}", [range(80)]],
    ["{ports: [{port: 80, endPort: 90, protocol: SCTP}]}", [range(80, 90, "SCTP")]],
    ["{ports: [{port: web}]}", [{ kind: "named", name: "web", protocol: "TCP" }]],
    ["{ports: [{port: dns, protocol: UDP}]}", [{ kind: "named", name: "dns", protocol: "UDP" }]],
    ["{ports: [{protocol: UDP}, {port: 53}]}", [range(53)]],
    ["{ports: [{}]}", []],
  ];
  it.each(cases)("S5.5: %s", (l4, ports) => expect(portsOf(l4)).toEqual(ports));
});

it("S5.2, S5.8: actions, names and places of rules are kept", () => {
  const named = rule("Pass").replace("{", "{name: to-tenants, ");
  const placed = rulesOf(ingress(rule("Allow"), named, rule("Deny")));
  expect(
    placed.map(({ rule: { action, origin } }) => [action, origin.name, origin.index, origin.path]),
  ).toEqual([
    ["Allow", undefined, 0, "spec.ingress[0]"],
    ["Pass", "to-tenants", 1, "spec.ingress[1]"],
    ["Deny", undefined, 2, "spec.ingress[2]"],
  ]);
});

it("S5.10: nothing is isolated, neither before NetworkPolicy nor after it", () => {
  for (const priority of [0, 100])
    expect(
      read(`{priority: ${priority}, ${subject}, ingress: [${rule("Allow")}]}`).lowered.isolation,
    ).toEqual([]);
});

it("S5.6: from a cluster more than 100 rules are evaluated, all of them", () => {
  const { found, lowered } = live(ingress(...Array<string>(103).fill(rule("Deny"))));
  expect(lowered.rules).toHaveLength(103);
  expect(lowered.rules.every(({ rule: r }) => r.failedClosed === undefined)).toBe(true);
  expect(found).toEqual(["TW2017 spec.ingress[100]"]);
});

describe("S5.9, S3.6: from a cluster, what is not understood fails closed", () => {
  const parts: readonly [string, string][] = [
    ["a peer with nothing in it", "from: [{}], l4Selector: {allPorts: true}"],
    ["a peer of a new kind", "from: [{services: {}}], l4Selector: {allPorts: true}"],
    [
      "a known peer with something new in it",
      `from: [{${anyPod}, services: {}}], l4Selector: {allPorts: true}`,
    ],
    ["one new peer of two", `from: [{${anyPod}}, {services: {}}], l4Selector: {allPorts: true}`],
    ["a namespace set with nothing in it", "from: [{namespaces: {}}], l4Selector: {allPorts: true}"],
    ["a namespace set of a new kind", "from: [{namespaces: {cousins: true}}], l4Selector: {allPorts: true}"],
    ["self: false", "from: [{namespaces: {self: false}}], l4Selector: {allPorts: true}"],
    [
      "a pod set with nothing in it",
      "from: [{namespacedPods: {namespaces: {self: true}, pods: {}}}], l4Selector: {allPorts: true}",
    ],
    ["no pod set", "from: [{namespacedPods: {namespaces: {self: true}}}], l4Selector: {allPorts: true}"],
    ["no namespace set", "from: [{namespacedPods: {pods: {podSelector: {}}}}], l4Selector: {allPorts: true}"],
    ["an l4Selector with nothing in it", `from: [{${anyPod}}], l4Selector: {}`],
    ["an l4Selector of a new kind", `from: [{${anyPod}}], l4Selector: {icmp: {}}`],
    ["no l4Selector", `from: [{${anyPod}}]`],
    [
      "a port with something new in it",
      `from: [{${anyPod}}], l4Selector: {ports: [{port: 80, flags: [SYN]}]}`,
    ],
    ["a new field of the rule", `schedule: nights, from: [{${anyPod}}], l4Selector: {allPorts: true}`],
    ["peers that are no list", "from: 5, l4Selector: {allPorts: true}"],
  ];
  it.each(parts)("S5.9: %s: Allow matches nothing, Deny and Pass deny everything", (_title, text) => {
    const { found, lowered } = live(
      ingress(...["Allow", "Deny", "Pass"].map((action) => `{action: ${action}, ${text}}`)),
    );
    expect(lowered.rules.map((placed) => placed.rule)).toMatchObject([
      { action: "Allow", peers: [], failedClosed: saying("allows nothing") },
      { ...deniesEverything, failedClosed: saying("denies everything") },
      { ...deniesEverything, failedClosed: saying("denies everything") },
    ]);
    expect(found.every((text) => text.startsWith("TW2015"))).toBe(true);
  });

  it("S3.6: the part that is not understood is named", () => {
    const [placed] = live(ingress("{action: Deny, from: [{services: {}}], l4Selector: {}}")).lowered.rules;
    expect(placed?.rule.failedClosed).toBe(
      "`from`, `l4Selector` are not understood, so this rule denies everything",
    );
  });

  it.each([
    `{action: Audit, from: [{${anyPod}}], l4Selector: {allPorts: true}}`,
    `{from: [{${anyPod}}], l4Selector: {allPorts: true}}`,
    "5",
  ])("S3.6: the action of %s is not known: it denies everything, at its place", (text) => {
    const { rules } = live(ingress(rule("Allow"), text, rule("Allow"))).lowered;
    expect(rules).toMatchObject([
      { rule: { action: "Allow" } },
      { tier: "admin", precedence: 995, rule: { ...deniesEverything, origin: { index: 1 } } },
      { rule: { action: "Allow" } },
    ]);
  });

  it("S3.6: rules that are not a list deny everything in that direction only", () => {
    const { rules } = live(`{priority: 5, ${subject}, ingress: {a: b}}`).lowered;
    expect(rules).toMatchObject([
      { rule: { ...deniesEverything, origin: { direction: "ingress", path: "spec.ingress" } } },
    ]);
  });

  it("S3.6: other rules and policies are not touched by it", () => {
    const [, second] = live(
      ingress("{action: Deny, from: [{}], l4Selector: {allPorts: true}}", rule("Allow")),
    ).lowered.rules;
    expect(second?.rule.failedClosed).toBeUndefined();
    expect(second?.rule.peers).toHaveLength(1);
  });
});
