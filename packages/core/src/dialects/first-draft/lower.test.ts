import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleTiers, type Lowered } from "../../policy/assemble.js";
import type { Provenance } from "../read.js";
import { readOne } from "../../../testing/read-one.js";
import { firstDraftKinds } from "./dialect.js";

interface Options {
  readonly name?: string;
  readonly from?: Provenance;
}

const head = "apiVersion: netpol.networking.k8s.io/v1alpha1";
const read = (kind: string, spec: string, { name = "p", from = "file" }: Options = {}) =>
  readOne(firstDraftKinds, `${head}\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}`, from);
const guard = (spec: string, options: Options = {}) => read("ClusterNetworkPolicy", spec, options);
const byDefault = (spec: string, options: Options = {}) => read("ClusterDefaultNetworkPolicy", spec, options);

const everywhere = "appliedTo: {namespaceSelector: {}}";
const ingress = (...rules: string[]) => `{${everywhere}, ingress: [${rules.join()}]}`;
const live = { from: "cluster" } as const;

const everyPod = { kind: "selector", match: [] };
const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
const saying = (text: string): unknown => expect.stringContaining(text);
const deniesEverything = { action: "Deny", peers: [{ kind: "everything" }], ports: "every" };

/** Tiers as they are walked: `["guardrail", ["a Pass", "b Deny"]]`. */
const walk = (...parts: Lowered[]): readonly (readonly [string, readonly string[]])[] =>
  assembleTiers(parts).ingress.map(({ name, rules }) => [
    name,
    rules.map((r) => `${r.origin.policy.name} ${r.action}`),
  ]);

describe("S6.1: all Empower rules, then all Deny rules, then all Allow rules", () => {
  const rules = ["{action: Allow}", "{action: Deny}", "{action: Empower}"];

  it("S6.1: whatever the order in a policy and among policies; Empower is a Pass that meets the Allow rules", () => {
    const a = guard(ingress(...rules), { name: "a" }).lowered;
    const b = guard(ingress("{action: Empower}", "{action: Deny}", "{action: Allow}"), { name: "b" }).lowered;
    expect(walk(b, a)).toEqual([
      ["guardrail", ["a Pass", "b Pass", "a Deny", "b Deny"]],
      ["guardrail-allow", ["a Allow", "b Allow"]],
    ]);
  });

  it("S6.1: any order of any rules gives the same parts in the same order", () => {
    const order = fc.shuffledSubarray([...rules, ...rules, ...rules], { minLength: 1 });
    fc.assert(
      fc.property(order, order, (first, second) => {
        const actions = walk(
          guard(ingress(...first), { name: "a" }).lowered,
          guard(ingress(...second), { name: "b" }).lowered,
        )
          .flatMap(([, walked]) => walked)
          .map((text) => text.slice(2));
        expect(actions).toEqual(
          ["Pass", "Deny", "Allow"].flatMap((action) => actions.filter((walked) => walked === action)),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("S6.1: there are no priorities", () => {
    const precedences = guard(ingress(...rules)).lowered.rules.map(({ precedence }) => precedence);
    expect(precedences).toEqual([0, 0, 0]);
  });

  it("S6.2: nothing is isolated", () => {
    expect(guard(ingress(...rules)).lowered.isolation).toEqual([]);
    expect(guard(`{${everywhere}, ingress: [], egress: []}`).lowered).toEqual({ rules: [], isolation: [] });
    expect(guard(`{${everywhere}, ingress: , egress: }`).lowered).toEqual({ rules: [], isolation: [] });
  });
});

describe("S6.2: appliedTo", () => {
  it.each([
    ["namespaceSelector: {}", { namespaces: [], pods: [] }],
    ["namespaceSelector: {matchLabels: {a: b}}", { namespaces: [requirement("a", "b")], pods: [] }],
    [
      "namespaceSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d}}",
      { namespaces: [requirement("a", "b")], pods: [requirement("c", "d")] },
    ],
  ])("S6.2: %s", (text, subject) => {
    const spec = (rule: string) => `{appliedTo: {${text}}, egress: [${rule}]}`;
    expect(guard(spec("{action: Deny}")).lowered.rules).toMatchObject([
      { rule: { subject, origin: { direction: "egress" } } },
    ]);
    const { rules, isolation } = byDefault(spec("{}")).lowered;
    expect(rules).toMatchObject([{ rule: { subject } }]);
    expect(isolation).toMatchObject([{ subject }]);
  });

  it.each([
    "{}",
    "{podSelector: {}}",
    "{namespaceSelector: {}, nodeSelector: {}}",
    "{namespaceSelector: 5}",
    "5",
  ])(
    "S6.2, S3.6: from a cluster `appliedTo: %s` is an unknown subject: not enforced, and reported",
    (appliedTo) => {
      for (const reading of [
        guard(`{appliedTo: ${appliedTo}, ingress: [{action: Deny}]}`, live),
        byDefault(`{appliedTo: ${appliedTo}, ingress: }`, live),
      ]) {
        expect(reading.lowered).toEqual({ rules: [], isolation: [] });
        expect(reading.found).toContain("TW2016 spec.appliedTo");
      }
    },
  );

  it.each(["", "5", "{}"])("S3.6: from a cluster `spec: %s` is not enforced, and does not throw", (spec) => {
    for (const reading of [guard(spec, live), byDefault(spec, live)])
      expect(reading.lowered).toEqual({ rules: [], isolation: [] });
  });
});

describe("S6.3, S6.4: peers and ports mean the same in both kinds", () => {
  const peers: readonly [string, unknown][] = [
    ["", [{ kind: "everything" }]],
    ["from: []", [{ kind: "everything" }]],
    ["from: [{namespaceSelector: {}}]", [{ kind: "pods", namespaces: everyPod, pods: everyPod }]],
    [
      "from: [{namespaceSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d}}}]",
      [
        {
          kind: "pods",
          namespaces: { kind: "selector", match: [requirement("a", "b")] },
          pods: { kind: "selector", match: [requirement("c", "d")] },
        },
      ],
    ],
    ["from: [{namespaces: {scope: Self}}]", [{ kind: "pods", namespaces: { kind: "self" }, pods: everyPod }]],
    [
      "from: [{namespaces: {scope: Self}, podSelector: {matchLabels: {app: b}}}]",
      [
        {
          kind: "pods",
          namespaces: { kind: "self" },
          pods: { kind: "selector", match: [requirement("app", "b")] },
        },
      ],
    ],
    [
      "from: [{namespaces: {scope: Selector, selector: {matchLabels: {a: b}}}}]",
      [{ kind: "pods", namespaces: { kind: "selector", match: [requirement("a", "b")] }, pods: everyPod }],
    ],
    [
      "from: [{namespaces: {scope: SameLabels, labels: [tenant, zone]}}]",
      [{ kind: "pods", namespaces: { kind: "same-labels", keys: ["tenant", "zone"] }, pods: everyPod }],
    ],
    [
      "from: [{namespaces: {scope: SameLabels, labels: []}}]",
      [{ kind: "pods", namespaces: { kind: "same-labels", keys: [] }, pods: everyPod }],
    ],
  ];
  it.each(peers)("S6.3, S6.4: `%s`", (text, expected) => {
    const rule = text === "" ? "" : `, ${text}`;
    expect(guard(ingress(`{action: Deny${rule}}`)).lowered.rules[0]?.rule.peers).toEqual(expected);
    expect(byDefault(ingress(`{ports: []${rule}}`)).lowered.rules[0]?.rule.peers).toEqual(expected);
  });

  const ports: readonly [string, unknown][] = [
    ["[]", "every"],
    ["[{port: 80}]", [{ kind: "range", protocol: "TCP", first: 80, last: 80 }]],
    ["[{protocol: UDP}]", [{ kind: "range", protocol: "UDP", first: 1, last: 65535 }]],
    ["[{port: 80, endPort: 90}]", [{ kind: "range", protocol: "TCP", first: 80, last: 90 }]],
    ["[{port: web}]", [{ kind: "named", name: "web", protocol: "TCP" }]],
  ];
  it.each(ports)("S6.3: ports %s", (text, expected) => {
    expect(guard(ingress(`{action: Deny, ports: ${text}}`)).lowered.rules[0]?.rule.ports).toEqual(expected);
    expect(byDefault(ingress(`{ports: ${text}}`)).lowered.rules[0]?.rule.ports).toEqual(expected);
  });
});

describe("S6.5: ClusterDefaultNetworkPolicy", () => {
  const isolated = (fields: string) =>
    byDefault(`{${everywhere}${fields}}`).lowered.isolation.map(
      ({ tier, direction }) => `${tier} ${direction}`,
    );

  it.each([
    ["", []],
    [", ingress: ", ["ingress"]],
    [", ingress: null", ["ingress"]],
    [", ingress: []", ["ingress"]],
    [", ingress: [{}]", ["ingress"]],
    [", egress: ", ["egress"]],
    [", egress: [{}]", ["egress"]],
    [", ingress: , egress: ", ["ingress", "egress"]],
    [", ingress: [], egress: [{}]", ["ingress", "egress"]],
  ])("S6.5: `appliedTo…%s` isolates %j: the keys that are present", (fields, directions) => {
    expect(isolated(fields)).toEqual(directions.map((direction) => `cluster-default ${direction}`));
  });

  it("S6.5: its rules allow, in the last tier, and add up", () => {
    const rules = ["{ports: [{port: 80}]}", "{from: [{namespaces: {scope: Self}}]}"];
    const a = byDefault(ingress(...rules), { name: "a" }).lowered;
    const b = byDefault(ingress(...rules), { name: "b" }).lowered;
    expect(walk(a, b)).toEqual([["cluster-default", ["a Allow", "a Allow", "b Allow", "b Allow"]]]);
    expect(assembleTiers([a, b]).ingress[0]?.isolation).toHaveLength(2);
  });

  it("S6.5, S3.6: from a cluster a rule that is not understood allows nothing, and its direction stays isolated", () => {
    for (const text of ["ingress: [{from: [{ipBlock: {}}]}]", "ingress: [{when: night}]", "ingress: [5]"]) {
      const { rules, isolation } = byDefault(`{${everywhere}, ${text}}`, live).lowered;
      expect(rules).toMatchObject([
        { rule: { action: "Allow", peers: [], failedClosed: saying("allows nothing") } },
      ]);
      expect(isolation).toMatchObject([{ direction: "ingress" }]);
    }
    const noList = byDefault(`{${everywhere}, ingress: {from: []}}`, live).lowered;
    expect(noList).toMatchObject({ rules: [], isolation: [{ direction: "ingress" }] });
  });
});

describe("S6.4, S3.6: from a cluster, what is not understood in a ClusterNetworkPolicy fails closed", () => {
  const parts: readonly [string, string][] = [
    ["an unknown scope", "from: [{namespaces: {scope: Cousins}}]"],
    ["no scope", "from: [{namespaces: {}}]"],
    ["a peer with nothing in it", "from: [{}]"],
    ["a peer of a new kind", "from: [{namespaceSelector: {}}, {nodes: {}}]"],
    ["a pod selector alone", "from: [{podSelector: {}}]"],
    ["a port with something new in it", "ports: [{port: 80, flags: [SYN]}]"],
    ["a new field of the rule", "schedule: nights"],
  ];
  it.each(parts)("S6.4: %s: Allow matches nothing, Deny and Empower deny everything", (_title, text) => {
    const { found, lowered } = guard(
      ingress(...["Allow", "Deny", "Empower"].map((a) => `{action: ${a}, ${text}}`)),
      live,
    );
    expect(lowered.rules).toMatchObject([
      { tier: "guardrail-allow", rule: { action: "Allow", peers: [] } },
      { tier: "guardrail", rule: { ...deniesEverything } },
      { tier: "guardrail", rule: { ...deniesEverything } },
    ]);
    expect(lowered.rules.every(({ rule }) => rule.failedClosed !== undefined)).toBe(true);
    expect(found.every((text) => text.startsWith("TW2015"))).toBe(true);
  });

  it("S3.6, S6.1: an Empower rule that fails closed precedes every other, so that their order still does not matter", () => {
    const broken = "{action: Empower, from: [{nodes: {}}]}";
    const parts = ["a", "z"].map(
      (name) => guard(ingress("{action: Empower}", broken, "{action: Deny}"), { name, ...live }).lowered,
    );
    expect(walk(...parts)).toEqual([
      ["guardrail", ["a Deny", "z Deny", "a Pass", "z Pass", "a Deny", "z Deny"]],
    ]);
  });

  it("S3.6: a Deny rule that fails closed stays behind the Empower rules", () => {
    const { lowered } = guard(ingress("{action: Deny, from: [{nodes: {}}]}", "{action: Empower}"), live);
    expect(walk(lowered)).toEqual([["guardrail", ["p Pass", "p Deny"]]]);
  });

  it.each(["{action: Audit}", "{from: []}", "5"])(
    "S3.6: %s has no known action: it denies everything, before all else",
    (text) => {
      const { lowered } = guard(ingress("{action: Empower}", "{action: Allow}", text), live);
      expect(walk(lowered)).toEqual([
        ["guardrail", ["p Deny", "p Pass"]],
        ["guardrail-allow", ["p Allow"]],
      ]);
      expect(lowered.rules[2]).toMatchObject({
        rule: { ...deniesEverything, failedClosed: saying("its action") },
      });
    },
  );

  it("S3.6: rules that are not a list deny everything in that direction only", () => {
    const { rules } = guard(`{${everywhere}, egress: 5}`, live).lowered;
    expect(rules).toMatchObject([
      { tier: "guardrail", rule: { ...deniesEverything, origin: { direction: "egress" } } },
    ]);
  });
});
