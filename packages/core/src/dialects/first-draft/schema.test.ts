import { describe, expect, it } from "vitest";
import { readOne } from "../../../testing/read-one.js";
import { firstDraftKinds } from "./dialect.js";

const readAs = (kind: string, spec: string) =>
  readOne(
    firstDraftKinds,
    `apiVersion: netpol.networking.k8s.io/v1alpha1\nkind: ${kind}\nmetadata: {name: p}\nspec: ${spec}`,
  );
const kinds = ["ClusterNetworkPolicy", "ClusterDefaultNetworkPolicy"] as const;

const everywhere = "appliedTo: {namespaceSelector: {}}";
const action = { ClusterNetworkPolicy: "action: Deny, ", ClusterDefaultNetworkPolicy: "" };

/** Each: what is written, and all that is found, as `CODE path`; nothing where it is right. */
type Cases = readonly (readonly [string, readonly string[]])[];

// The two kinds share subject, peers and ports.
describe.each(kinds)("%s", (kind) => {
  const found = (spec: string) => readAs(kind, spec).found;
  const ingress = (text: string) => `{${everywhere}, ingress: [{${action[kind]}${text}}]}`;

  describe("S6.2: appliedTo", () => {
    const cases: Cases = [
      ["{appliedTo: {namespaceSelector: {}}}", []],
      ["{appliedTo: {namespaceSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d}}}}", []],
      ["{}", ["TW1202 spec"]],
      ["{appliedTo: {}}", ["TW1202 spec.appliedTo"]],
      ["{appliedTo: {podSelector: {}}}", ["TW1202 spec.appliedTo"]],
      [
        "{appliedTo: {namespaceSelector: {matchExpressions: {key: tenant, operator: Exists}}}}",
        ["TW1201 spec.appliedTo.namespaceSelector.matchExpressions"],
      ],
      [`{${everywhere}, priority: 5}`, ["TW1204 spec.priority"]],
    ];
    it.each(cases)("S6.2: %s: %j", (spec, problems) => expect(found(spec)).toEqual(problems));
  });

  describe("S6.4: peers", () => {
    const at = "spec.ingress[0].from[0]";
    const cases: Cases = [
      ["{namespaceSelector: {}}", []],
      ["{namespaceSelector: {}, podSelector: {}}", []],
      ["{namespaces: {scope: Self}}", []],
      ["{namespaces: {scope: Self}, podSelector: {matchLabels: {app: b}}}", []],
      ["{namespaces: {scope: Selector, selector: {}}}", []],
      ["{namespaces: {scope: SameLabels, labels: [tenant]}}", []],
      ["{}", [`TW1209 ${at}`]],
      ["{podSelector: {}}", [`TW1407 ${at}.podSelector`]],
      ["{namespaceSelector: {}, namespaces: {scope: Self}}", [`TW1210 ${at}.namespaces`]],
      ["{namespaces: {}}", [`TW1202 ${at}.namespaces`]],
      ["{namespaces: {scope: Selector}}", [`TW1211 ${at}.namespaces.scope`]],
      ["{namespaces: {scope: SameLabels}}", [`TW1211 ${at}.namespaces.scope`]],
      ["{namespaces: {scope: Self, selector: {}}}", [`TW1408 ${at}.namespaces.selector`]],
      ["{namespaces: {scope: Self, labels: [a]}}", [`TW1408 ${at}.namespaces.labels`]],
      ["{namespaces: {scope: Selector, selector: {}, labels: [a]}}", [`TW1408 ${at}.namespaces.labels`]],
      ["{namespaces: {scope: SameLabels, labels: [a], selector: {}}}", [`TW1408 ${at}.namespaces.selector`]],
      [
        "{namespaces: {scope: SameLabels, selector: {}}}",
        [`TW1211 ${at}.namespaces.scope`, `TW1408 ${at}.namespaces.selector`],
      ],
      ["{namespaces: {scope: SameLabels, labels: [not a key]}}", [`TW1301 ${at}.namespaces.labels[0]`]],
      ["{namespaces: {scope: NotSelf}}", [`TW1203 ${at}.namespaces.scope`]],
      ["{ipBlock: {cidr: 10.0.0.0/8}}", [`TW1204 ${at}.ipBlock`]],
      // S5.4: valid, and selects nothing.
      ["{namespaces: {scope: SameLabels, labels: []}}", [`TW2013 ${at}.namespaces.labels`]],
    ];
    it.each(cases)("S6.4: %s: %j", (peer, problems) =>
      expect(found(ingress(`from: [${peer}]`))).toEqual(problems),
    );

    it.each([
      ["self", "Self"],
      ["samelabels", "SameLabels"],
    ])("S6.4: scope `%s`, as the draft's examples have it, is `%s`", (written, meant) => {
      const { found: problems, messages } = readAs(
        kind,
        ingress(`from: [{namespaces: {scope: ${written}}}]`),
      );
      expect(problems).toEqual([`TW1203 ${at}.namespaces.scope`]);
      expect(messages.join()).toContain(`did you mean \`${meant}\`?`);
    });
  });

  describe("S6.3: ports are NetworkPolicy's", () => {
    const at = "spec.ingress[0].ports[0]";
    const cases: Cases = [
      ["{port: 80}", []],
      ["{port: web, protocol: SCTP}", []],
      ["{protocol: UDP}", []],
      ["{port: 80, endPort: 90}", []],
      ["{port: 0}", [`TW1205 ${at}.port`]],
      ["{port: 80, endPort: 79}", [`TW1306 ${at}.endPort`]],
      ["{port: web, endPort: 79}", [`TW1310 ${at}.endPort`]],
      ["{port: 80, protocol: ICMP}", [`TW1203 ${at}.protocol`]],
    ];
    it.each(cases)("S6.3: %s: %j", (port, problems) =>
      expect(found(ingress(`ports: [${port}]`))).toEqual(problems),
    );
  });

  it("S6.3: no from, no to and no ports are right, and nothing to warn of", () => {
    const rules = `[{${action[kind]} ports: []}]`;
    expect(found(`{${everywhere}, ingress: ${rules}, egress: ${rules}}`)).toEqual([]);
    expect(found(ingress("from: [], ports: []"))).toEqual([]);
  });

  it("S10.1: ingress rules have `from`, egress rules `to`", () => {
    expect(found(ingress("to: []"))).toEqual(["TW1204 spec.ingress[0].to"]);
    expect(found(`{${everywhere}, egress: [{${action[kind]}from: []}]}`)).toEqual([
      "TW1204 spec.egress[0].from",
    ]);
  });
});

describe("S6.3: actions", () => {
  const found = (rule: string) => readAs("ClusterNetworkPolicy", `{${everywhere}, ingress: [${rule}]}`).found;
  const cases: Cases = [
    ["{action: Empower}", []],
    ["{action: Deny}", []],
    ["{action: Allow}", []],
    ["{}", ["TW1202 spec.ingress[0]"]],
    ["{action: Pass}", ["TW1203 spec.ingress[0].action"]],
    ["{action: deny}", ["TW1203 spec.ingress[0].action"]],
    // The draft's story 3 has its actions in the peers.
    [
      "{from: [{namespaces: {scope: Self}, action: Empower}]}",
      ["TW1202 spec.ingress[0]", "TW1204 spec.ingress[0].from[0].action"],
    ],
  ];
  it.each(cases)("S6.3: %s: %j", (rule, problems) => expect(found(rule)).toEqual(problems));

  it("S6.5: the rules of a ClusterDefaultNetworkPolicy have none", () => {
    const { found: problems } = readAs(
      "ClusterDefaultNetworkPolicy",
      `{${everywhere}, ingress: [{action: Allow}]}`,
    );
    expect(problems).toEqual(["TW1204 spec.ingress[0].action"]);
  });
});

it("S10.1: a problem points at the field in the file", () => {
  const text = [
    "apiVersion: netpol.networking.k8s.io/v1alpha1",
    "kind: ClusterNetworkPolicy",
    "metadata: {name: p}",
    "spec:",
    "  appliedTo: {namespaceSelector: {}}",
    "  ingress:",
    "    - action: Deny",
    "      from:",
    "        - podSelector: {}",
    "        - namespaces: {scope: Self, labels: [a]}",
  ].join("\n");
  const { messages, places } = readOne(firstDraftKinds, text);
  expect(messages).toEqual([
    "`podSelector` requires `namespaceSelector` or `namespaces`",
    "`labels` is not allowed with scope `Self`; it belongs to scope `SameLabels`",
  ]);
  expect(places).toMatchObject([
    { line: 9, column: 11 },
    { line: 10, column: 37 },
  ]);
});
