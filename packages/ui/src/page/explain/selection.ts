import type { ConnectionView, StepView, WalkView } from "../worker/questions/explain.js";
import type { PolicyView, RuleView } from "../worker/questions/policy-view.js";

/** The selected rule or policy: its YAML is next to the stairs. */
export interface Selection {
  readonly policy: PolicyView;
  /** A rule of it; `isolation` for the fields that select the isolated pods. */
  readonly path: string;
  readonly title: string;
}

export const selectionOfRule = ({ policy, path, title }: RuleView): Selection => ({ policy, path, title });
export const selectionOfIsolation = (policy: PolicyView): Selection => ({
  policy,
  path: "isolation",
  title: policy.title,
});

export const isSameSelection = (a: Selection | undefined, b: Selection | undefined): boolean =>
  a !== undefined && b !== undefined && a.policy.key === b.policy.key && a.path === b.path;

/** The walk that decides a connection: the one that denies, or the one that is not decided; else the one that a rule allows. */
export function decisiveWalk(connection: ConnectionView): WalkView | undefined {
  if (connection.answer.kind === "ports") return undefined;
  const walks = [connection.answer.egress, connection.answer.ingress];
  const saying = (verdict: WalkView["verdict"]) => walks.find((walk) => walk.verdict === verdict);
  return (
    saying("Deny") ??
    saying("Undecided") ??
    walks.findLast((walk) => deciderOf(walk) !== undefined) ??
    walks[1]
  );
}

/** The rule or the isolation that ends a walk; undefined for the default. */
export function deciderOf(walk: WalkView): Selection | undefined {
  const step = walk.steps.find(({ outcome }) => ["allow", "deny", "undecided"].includes(outcome));
  return step && deciderIn(step);
}

/** The rule or the isolation that decides a tier. */
export function deciderIn({ outcome, rules, isolators }: StepView): Selection | undefined {
  const decisive = rules.find(({ result }) => result === "matches");
  const possible = rules.find(({ result }) => result === "may-match");
  const rule = outcome === "undecided" ? (possible ?? decisive) : decisive;
  if (rule !== undefined) return selectionOfRule(rule.rule);
  const isolator = isolators.find(({ kind }) => kind === "policy");
  return outcome === "deny" && isolator?.kind === "policy"
    ? selectionOfIsolation(isolator.policy)
    : undefined;
}

/** The one that is selected at first. */
export function firstSelection(connections: readonly ConnectionView[]): Selection | undefined {
  for (const connection of connections) {
    const walk = decisiveWalk(connection);
    const decider = walk && deciderOf(walk);
    if (decider !== undefined) return decider;
  }
  return undefined;
}
