import type { Use } from "@tierwall/core/engine";
import type { HeldState } from "../held-state.js";
import { policyKey } from "./policy-view.js";
import { defaultKey, useKey } from "./use-key.js";

/** How much each rule decides here, by `useKey`. */
export type RuleUseAnswer = Readonly<Record<string, UseView>>;

export interface UseView extends Pick<Use, "external"> {
  /** Pairs of endpoints of which it decides at least one port. */
  readonly pairs: number;
  readonly possibly: number;
}

/** Takes a while in a large cluster: all pairs are looked at. */
export function answerRuleUse({ engine }: HeldState, _request: Record<string, never>): RuleUseAnswer {
  const uses: Record<string, UseView> = {};
  for (const use of engine.ruleUse()) {
    const key = keyOf(use);
    if (key === undefined) continue;
    const { pairs, possibly, external } = use;
    const same = uses[key];
    // A rule that is several to the engine decides at least what the largest of them does.
    if (same === undefined) uses[key] = { pairs, possibly, external };
    else
      uses[key] = {
        pairs: Math.max(same.pairs, pairs),
        possibly: Math.max(same.possibly, possibly),
        external: same.external === "never" ? external : same.external,
      };
  }
  return uses;
}

function keyOf({ by, direction }: Use): string | undefined {
  switch (by.kind) {
    case "rule":
      return useKey(policyKey(by.rule.origin.policy), direction, by.rule.origin.path);
    case "isolation": {
      const { origin } = by.isolation;
      return origin.kind === "policy" ? useKey(policyKey(origin.policy), direction, "isolation") : undefined;
    }
    case "default":
      return defaultKey(direction);
    case "own-node":
      return undefined;
  }
}
