import type { ConnectionView, StepView, WalkView } from "../worker/questions/explain.js";
import type { PolicyView, RuleView } from "../worker/questions/policy-view.js";

/** A rule or a policy that is looked at: its YAML stands beside the stairs. */
export interface Meant {
  readonly policy: PolicyView;
  /** A rule of it; `isolation` for what says whom it isolates. */
  readonly path: string;
  readonly title: string;
}

export const meantRule = ({ policy, path, title }: RuleView): Meant => ({ policy, path, title });
export const meantIsolation = (policy: PolicyView): Meant => ({
  policy,
  path: "isolation",
  title: policy.title,
});

export const isSameMeant = (a: Meant | undefined, b: Meant | undefined): boolean =>
  a !== undefined && b !== undefined && a.policy.key === b.policy.key && a.path === b.path;

/** Who decides a connection: the walk that denies, or the one that is not decided; else the one that somebody allows. */
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

/** Who ends a walk; undefined where that is nobody's doing. */
export function deciderOf(walk: WalkView): Meant | undefined {
  const step = walk.steps.find(({ outcome }) => ["allow", "deny", "undecided"].includes(outcome));
  return step && deciderIn(step);
}

/** Who decides a tier. */
export function deciderIn({ outcome, rules, isolators }: StepView): Meant | undefined {
  const decisive = rules.find(({ result }) => result === "matches");
  const possible = rules.find(({ result }) => result === "may-match");
  const rule = outcome === "undecided" ? (possible ?? decisive) : decisive;
  if (rule !== undefined) return meantRule(rule.rule);
  const isolator = isolators.find(({ kind }) => kind === "policy");
  return outcome === "deny" && isolator?.kind === "policy" ? meantIsolation(isolator.policy) : undefined;
}

/** The one to look at first. */
export function firstMeant(connections: readonly ConnectionView[]): Meant | undefined {
  for (const connection of connections) {
    const walk = decisiveWalk(connection);
    const decider = walk && deciderOf(walk);
    if (decider !== undefined) return decider;
  }
  return undefined;
}
