import type { Flow } from "../../evaluate/flow.js";
import type { Direction, PolicyRef, Rule } from "../../policy/model.js";

/** What a policy of tier network-policy does to traffic: its rules allow or deny it, or it isolates from it. */
export type Intent = "allows" | "denies" | "isolates";

/** A NetworkPolicy, or one of Cilium's, some of whose traffic is decided otherwise by rules of tiers before its own. */
export interface Override {
  readonly policy: PolicyRef;
  readonly direction: Direction;
  readonly intent: Intent;
  /** Ordered pairs of pods and hosts, in each address family by itself, of which at least one port is concerned. */
  readonly pairs: number;
  /** Whether external addresses are concerned. */
  readonly external: boolean;
  /** Those that decide most pairs first. */
  readonly by: readonly OverridingRule[];
}

export interface OverridingRule {
  readonly rule: Rule;
  readonly pairs: number;
  readonly external: boolean;
  /** A connection that this rule decides, and the policy would decide otherwise. */
  readonly example: () => Flow;
}
