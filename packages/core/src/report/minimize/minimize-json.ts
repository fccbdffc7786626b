import type { Minimization } from "../../analysis/minimize/minimize.js";
import type { Obstacle, Unit } from "../../analysis/minimize/verification.js";
import { authored } from "../../analysis/minimize/draft.js";
import { apiVersion, type JsonValue, policyJson } from "../explanation/explanation-json.js";
import { resultJson } from "../proofs/equality.js";

/** The stable, versioned JSON of a minimization: `kind: Minimization`. */
export function minimizationJson(found: Minimization): { readonly [key: string]: JsonValue | undefined } {
  const { verification, before, after } = found;
  const { here, scope, everywhere } = verification;
  return {
    apiVersion,
    kind: "Minimization",
    scope,
    before: { policies: before.policies, rules: before.rules },
    after: { policies: after.policies, rules: after.rules },
    changes: found.changes.map(changeJson),
    undone: found.undone.map(({ because, ...change }) => ({
      ...changeJson(change),
      because: obstacleJson(because),
    })),
    leftAlone: found.leftAlone.map(({ policy, why }) => ({ policy: policyJson(policy), why })),
    pods: here.pods,
    changedPairs: here.changedPairs,
    everywhere: resultJson(everywhere),
    policies: found.policies.map(({ definition }) => authored(definition.object.value)),
  };
}

const changeJson = ({ origins, draft, steps }: Unit) => ({
  policies: origins.map(({ policy }) => policyJson(policy)),
  removed: draft === undefined,
  steps: steps.map(({ kind, policy, rule, merged, why }) => ({
    step: kind,
    policy: policyJson(policy),
    rule,
    merged,
    why,
  })),
});

const obstacleJson = (obstacle: Obstacle): JsonValue =>
  obstacle.kind === "changed here"
    ? { changedPairs: obstacle.proof.changedPairs }
    : { everywhere: resultJson(obstacle.equality) };
