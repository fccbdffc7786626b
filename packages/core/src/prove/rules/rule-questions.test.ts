import { describe, expect, it } from "vitest";
import { clusterPolicy, networkPolicy } from "../../../testing/manifests.js";
import { completed } from "../../collections/steps.js";
import { formatRule } from "../../policy/describe.js";
import { formatPolicy, type Isolation, type Rule } from "../../policy/model.js";
import { readState, type State } from "../../state/state.js";
import { RuleQuestions } from "./index.js";

const guard = (name: string, priority: number, rules: string, direction = "ingress") =>
  clusterPolicy(name, { priority: String(priority), [direction]: `[${rules}]` });
const baseline = (rules: string) => clusterPolicy("base", { tier: "Baseline", ingress: `[${rules}]` });

const from = (action: string, namespaces: string, port = "") =>
  `{action: ${action}, from: [{namespaces: ${namespaces}}]${port === "" ? "" : `, protocols: [{tcp: {destinationPort: {number: ${port}}}}]`}}`;
const cidr = (action: string, ...networks: readonly string[]) =>
  `{action: ${action}, to: [{networks: [${networks.map((each) => `"${each}"`).join()}]}]}`;

const all = "{}";
const a = "{matchLabels: {team: a}}";
const notA = "{matchExpressions: [{key: team, operator: NotIn, values: [a]}]}";

const cilium = (rules: string, scope = "CiliumNetworkPolicy", name = "cart") => `---
apiVersion: cilium.io/v2
kind: ${scope}
metadata: {name: ${name}${scope === "CiliumNetworkPolicy" ? ", namespace: shop" : ""}}
spec: {endpointSelector: {}, ${rules}}
`;
const web = "{fromEndpoints: [{matchLabels: {app: web}}]";
const http = `${web}, toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{method: GET}]}}]}`;
const plain = `${web}, toPorts: [{ports: [{port: '80', protocol: TCP}]}]}`;

function stateOf(yaml: string): State {
  const state = readState([{ file: "test.yaml", text: yaml }]);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
}

const nameOf = (part: Rule | Isolation): string => {
  if ("action" in part) return formatRule(part.origin);
  return `isolation by ${part.origin.kind === "policy" ? formatPolicy(part.origin.policy) : part.origin.option}`;
};

/** `ClusterNetworkPolicy a rule 2: shadowed by …`, without the rules that are needed. */
function answersIn(yaml: string): readonly string[] {
  const { tiers } = stateOf(yaml);
  const questions = new RuleQuestions(tiers, []);
  return [...tiers.ingress, ...tiers.egress].flatMap(({ rules }) =>
    rules.flatMap((rule) => {
      const answer = completed(questions.answer(rule, {}));
      if (answer === "needed") return [];
      const name = formatRule(rule.origin).replaceAll("ClusterNetworkPolicy ", "");
      if (typeof answer === "string") return [`${name}: ${answer}`];
      const { kind, because, by } = answer;
      const names = by.map(nameOf).join(" and ").replaceAll("ClusterNetworkPolicy ", "") || "the default";
      return [`${name}: ${kind}${because === undefined ? "" : ` because of ${because}`}, by ${names}`];
    }),
  );
}

const specification: readonly (readonly [what: string, yaml: string, expected: readonly string[]])[] = [
  ["a Deny that is the only rule is needed", guard("a", 1, from("Deny", all)), []],
  [
    "S1.1: an earlier rule that matches more shadows a rule",
    guard("a", 1, `${from("Deny", all)}, ${from("Accept", a, "80")}`),
    ["a rule 2: shadowed, by a rule 1"],
  ],
  [
    "S1.10: two earlier rules shadow a rule together, and only those two are named",
    guard(
      "a",
      1,
      `${from("Deny", a)}, ${from("Accept", all, "80")}, ${from("Deny", notA)}, ${from("Accept", all)}`,
    ),
    ["a rule 4: shadowed, by a rule 1 and a rule 3"],
  ],
  [
    "S3.4: two halves of a network shadow the whole, and not the other address family",
    guard(
      "a",
      1,
      `${cidr("Deny", "0.0.0.0/1")}, ${cidr("Deny", "128.0.0.0/1")}, ${cidr("Accept", "0.0.0.0/0")}, ${cidr("Deny", "::/0")}`,
      "egress",
    ),
    ["a rule 3: shadowed, by a rule 1 and a rule 2"],
  ],
  [
    "a rule that a later one of its tier repeats is redundant",
    guard("a", 1, `${from("Deny", a)}, ${from("Deny", all)}`),
    ["a rule 1: redundant because of its tier, by a rule 2"],
  ],
  [
    "an exception from a later rule is needed",
    guard("a", 1, `${from("Accept", a)}, ${from("Deny", all)}`),
    [],
  ],
  [
    "S1.3: a Pass at the end of a tier is redundant: the next tier follows anyway",
    guard("a", 1, from("Pass", all)),
    ["a rule 1: redundant because of its tier, by the default"],
  ],
  ["S1.3: a Pass before a Deny is needed", guard("a", 1, `${from("Pass", a)}, ${from("Deny", all)}`), []],
  [
    "S1.1: an earlier tier that decides everything leaves nothing to a rule",
    guard("a", 1, from("Accept", all)) + baseline(from("Deny", a)),
    ["base rule 1: unreached, by a rule 1"],
  ],
  [
    "S1.3: an earlier tier that passes some of it leaves that to a rule",
    guard("a", 1, `${from("Pass", a, "80")}, ${from("Accept", all)}`) + baseline(from("Deny", a)),
    [],
  ],
  [
    "S1.3: what an earlier tier passes to no avail is not counted",
    guard("a", 1, `${from("Pass", notA)}, ${from("Accept", all)}`) + baseline(from("Deny", a)),
    ["base rule 1: unreached, by a rule 2"],
  ],
  [
    "S11.2: an Accept of the Admin tier is needed, because an owner can isolate a pod",
    guard("a", 1, from("Accept", all)),
    [],
  ],
  [
    "S11.2: a Deny of the Admin tier is needed although NetworkPolicies of today deny the same",
    guard("a", 1, from("Deny", all)) + networkPolicy("shop/closed", { policyTypes: "[Ingress]" }),
    [],
  ],
  [
    "an Accept of the last tier is redundant: everything is allowed by default",
    baseline(from("Accept", all)),
    ["base rule 1: redundant because of other tiers, by the default"],
  ],
  [
    "S2.1: one of two NetworkPolicies that allow the same is redundant, each because of the other",
    networkPolicy("shop/x", { ingress: "[{from: [{podSelector: {}}]}]" }) +
      networkPolicy("shop/z", { ingress: "[{from: [{podSelector: {}}]}]" }),
    [
      "NetworkPolicy shop/x rule 1: redundant because of its tier, by NetworkPolicy shop/z rule 1",
      "NetworkPolicy shop/z rule 1: shadowed, by NetworkPolicy shop/x rule 1",
    ],
  ],
  [
    "S2.1: the only rule of an isolating NetworkPolicy is needed",
    networkPolicy("shop/x", { ingress: "[{from: [{podSelector: {}}]}]" }),
    [],
  ],
  [
    "a rule of a namespace is asked about with the other policies as written",
    guard("a", 1, from("Deny", all)) + networkPolicy("shop/x", { ingress: "[{from: [{podSelector: {}}]}]" }),
    ["NetworkPolicy shop/x rule 1: unreached, by a rule 1"],
  ],
  [
    "a selector that contradicts itself matches nothing",
    guard(
      "a",
      1,
      `${from("Deny", all)}, ${from("Accept", "{matchExpressions: [{key: team, operator: Exists}, {key: team, operator: DoesNotExist}]}")}`,
    ),
    ["a rule 2: matches nothing"],
  ],
  [
    "S7.7: a rule that allows next to a condition counts as needed",
    cilium(`ingress: [${http}, ${plain}]`),
    [],
  ],
  [
    "S7.7, S11.2: an owner can write a condition, so that an allow of the cluster is needed",
    cilium(`ingress: [${plain}, ${plain}]`, "CiliumClusterwideNetworkPolicy"),
    [],
  ],
  [
    "S7.8: a denial of the pod's own node is needed, whatever else isolation denies",
    cilium("ingressDeny: [{fromEntities: [host]}], ingress: [{}]"),
    ["CiliumNetworkPolicy shop/cart rule 1: matches nothing"],
  ],
  [
    "S7.8: of two denials of the pod's own node, the second is shadowed; the first is redundant with it and isolation",
    cilium("ingressDeny: [{fromEntities: [all]}, {fromEntities: [host]}]"),
    [
      "CiliumNetworkPolicy shop/cart ingressDeny rule 1: redundant because of its tier, by CiliumNetworkPolicy shop/cart ingressDeny rule 2 and isolation by CiliumNetworkPolicy shop/cart",
      "CiliumNetworkPolicy shop/cart ingressDeny rule 2: shadowed, by CiliumNetworkPolicy shop/cart ingressDeny rule 1",
    ],
  ],
  [
    "S1.6: an Admin Deny does not bind the pod's own node, so that a Cilium denial of it is needed",
    guard("a", 1, "{action: Deny, from: [{namespaces: {}}]}") +
      cilium("ingressDeny: [{fromEntities: [cluster]}]"),
    [],
  ],
];

describe("S11.1: what holds of a rule in every cluster", () => {
  it.each(specification)("%s", (_what, yaml, expected) => expect(answersIn(yaml)).toEqual(expected));

  it("is not decided if the time is over, and decided when there is more", () => {
    const { tiers } = stateOf(guard("a", 1, `${from("Deny", all)}, ${from("Accept", a)}`));
    const [, second] = tiers.ingress[0]!.rules;
    const questions = new RuleQuestions(tiers, []);
    expect(completed(questions.answer(second!, { deadline: 0 }))).toBe("not decided");
    expect(questions.isAnswered(second!)).toBe(false);
    expect(completed(questions.answer(second!, {}))).toMatchObject({ kind: "shadowed" });
    questions.forgetFormulas();
    expect(completed(questions.answer(second!, { deadline: 0 }))).toMatchObject({ kind: "shadowed" });
  });
});
