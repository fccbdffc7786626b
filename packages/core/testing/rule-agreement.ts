import { walk } from "../src/evaluate/walk.js";
import { type PolicyRef, type Rule, tierNames, type Tiers } from "../src/policy/model.js";
import { formatRule } from "../src/policy/describe.js";
import { swappedPolicies } from "../src/policy/swapped-policies.js";
import { withoutRule } from "../src/policy/without-rule.js";
import type { orderAnswer, RuleAnswer, RuleQuestions } from "../src/prove/rules/index.js";
import { sharedPriorities } from "../src/analysis/proof/shared-priorities.js";
import { completed } from "../src/collections/steps.js";
import { Answers } from "../src/prove/world/index.js";
import { readState, type State } from "../src/state/state.js";
import { namespace, pod } from "./manifests.js";

/*
 * Answers about single rules and shared priorities, compared with the evaluator on policies with a vocabulary that is small
 * enough to try every cluster of two pods: both ways, so that no finding is wrong and none is missing.
 */

/** What is examined; a mutant has its own. */
export interface Asking {
  readonly RuleQuestions: typeof RuleQuestions;
  readonly orderAnswer: typeof orderAnswer;
}

/** What there is about a connection: a namespace and a label of each pod, the port, and what owners write for ingress. */
interface World {
  readonly text: string;
  readonly port: number;
}

const teams = ["{}", "{team: a}", "{team: c}"] as const;
const ports = [80, 81] as const;
const owners = ["", "allow", "isolate"] as const;

/** Every pair of pods that the vocabulary distinguishes, with every port and everything that an owner can write about it. */
export function everyWorld(): readonly World[] {
  return ["shop", "one"].flatMap((from) =>
    ["shop", "two"].flatMap((to) =>
      teams.flatMap((fromTeam) =>
        teams.flatMap((toTeam) => {
          if (from === to && fromTeam !== toTeam) return [];
          const pods =
            namespace(from, fromTeam) +
            (from === to ? "" : namespace(to, toTeam)) +
            pod(`${from}/client`, { ips: ["10.0.0.1"] }) +
            pod(`${to}/server`, { ips: ["10.0.0.2"] });
          return owners.flatMap((act) => ports.map((port) => ({ text: pods + ownersPolicy(to, act), port })));
        }),
      ),
    ),
  );
}

const ownersPolicy = (to: string, act: (typeof owners)[number]): string =>
  act === ""
    ? ""
    : `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: owner, namespace: ${to}}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: ${act === "allow" ? "[{}]" : "[]"}}
`;

/** What is wrong with the answers, if anything. `seen` collects them. */
export function faultOfAnswers(
  asking: Asking,
  state: State,
  worlds: readonly Judged[],
  seen = new Set<string>(),
): string | undefined {
  const questions = new asking.RuleQuestions(state.tiers, []);
  for (const { rules } of state.tiers.ingress)
    for (const rule of rules) {
      const answer = completed(questions.answer(rule, {}));
      const expected = expectedOf(rule, state, worlds);
      const found = typeof answer === "string" ? answer : answer.kind;
      seen.add(found);
      const name = `${formatRule(rule.origin)}: ${found}`;
      if (found !== expected) return `${name}, expected ${expected}`;
      const fault = typeof answer === "string" ? undefined : faultOfParts(rule, answer, state, worlds);
      if (fault !== undefined) return `${name}, ${fault}`;
    }
  for (const group of sharedPriorities(state.tiers)) {
    const { result } = completed(asking.orderAnswer(questions, state, group, () => false, {}));
    seen.add(result);
    const expected = canDisagree(group.policies, state, worlds) ? "sometimes" : "never";
    if (result !== expected) return `priority ${group.precedence}: ${result}, expected ${expected}`;
  }
  return undefined;
}

/** Whether the named rules suffice: without all others, the rule still never decides, or is still not needed. */
function faultOfParts(
  rule: Rule,
  answer: Exclude<RuleAnswer, string>,
  state: State,
  worlds: readonly Judged[],
): string | undefined {
  const kept = new Set<unknown>([rule, ...answer.by]);
  const tiers: Tiers = {
    egress: [],
    ingress: state.tiers.ingress.map((tier) => ({
      ...tier,
      rules: tier.rules.filter((each) => kept.has(each)),
    })),
  };
  const expected = expectedOf(rule, { tiers }, worlds);
  const suffices =
    answer.kind === "redundant" ? expected !== "needed" : expected !== "needed" && expected !== "redundant";
  return suffices ? undefined : `but not because of ${answer.by.length} rules: ${expected}`;
}

/** A world, and how to ask the evaluator about it. */
export interface Judged {
  readonly decide: (tiers: Tiers) => { readonly verdict: string; readonly rule?: Rule };
}

export function judged({ text, port }: World): Judged {
  const { cluster, tiers: written } = readState([{ file: "world.yaml", text }]);
  const endpoint = (name: string) => {
    const found = [...cluster.pods.values()].find((each) => each.name === name)!;
    return { kind: "pod", pod: found, namespace: cluster.namespaces.get(found.namespace)! } as const;
  };
  const flow = {
    source: endpoint("client"),
    destination: endpoint("server"),
    protocol: "TCP",
    port,
    family: 4,
  } as const;
  return {
    decide: (tiers) => {
      const all = [...tiers.ingress, ...written.ingress];
      const ingress = tierNames.flatMap((name) => all.filter((tier) => tier.name === name));
      const unknowns = new Answers(new Map());
      const { verdict, by } = walk("ingress", { egress: [], ingress }, { flow, cluster, unknowns });
      return { verdict, ...(by.kind === "rule" ? { rule: by.rule } : {}) };
    },
  };
}

function expectedOf(rule: Rule, state: Pick<State, "tiers">, worlds: readonly Judged[]): string {
  const without = withoutRule(state.tiers, rule);
  const tier = state.tiers.ingress.find(({ rules }) => rules.includes(rule))!;
  const inTier: Tiers = { egress: [], ingress: [{ ...tier, rules: tier.rules.map(asDecision) }] };
  const alone: Tiers = { egress: [], ingress: [{ ...tier, rules: [asDecision(rule)] }] };
  const reached: Tiers = {
    egress: [],
    ingress: state.tiers.ingress.map((each) =>
      each === tier
        ? { ...each, rules: each.rules.map((other) => (other === rule ? asDecision(other) : other)) }
        : each,
    ),
  };
  const some = (check: (world: Judged) => boolean) => worlds.some(check);
  const isRule = (found: Rule | undefined) => found?.origin === rule.origin;
  if (some((w) => w.decide(state.tiers).verdict !== w.decide(without).verdict)) return "needed";
  if (some((w) => isRule(w.decide(reached).rule))) return "redundant";
  if (!some((w) => isRule(w.decide(alone).rule))) return "matches nothing";
  return some((w) => isRule(w.decide(inTier).rule)) ? "unreached" : "shadowed";
}

/** A Pass leaves no trace: as a Deny, the evaluator names the rule. */
const asDecision = (rule: Rule): Rule => ({ ...rule, action: "Deny" });

function canDisagree(
  policies: readonly PolicyRef[],
  { tiers }: Pick<State, "tiers">,
  worlds: readonly Judged[],
): boolean {
  const orders = policies.flatMap((first, i) =>
    policies.slice(i + 1).map((second) => swappedPolicies(tiers, first, second)),
  );
  return orders.some((other) => worlds.some((w) => w.decide(tiers).verdict !== w.decide(other).verdict));
}
