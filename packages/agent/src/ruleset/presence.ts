import type { NodeOptions } from "./program.js";
import type { NamedSet } from "./ruleset.js";
import { timedSwitch } from "./timed-switch.js";

/*
 * Unknown pods are denied until the agent has rules for them. If no agent runs, that would be forever. Operators can choose to allow
 * them after no agent has run for a while: the rules that deny them use a timed set, which the agent renews while it runs. The
 * kernel expires it, whatever happened to the agent:
 *
 *     ip saddr 10.244.1.0/24 meta nfproto @present goto unknown_egress
 */

export const presentSet = "present";

/** The condition of rules that deny unknown pods; empty if they are denied forever. */
export const whilePresent = ({ unknownPodsPassAfter }: NodeOptions): string =>
  unknownPodsPassAfter === undefined ? "" : `meta nfproto @${presentSet} `;

export function presentSets({ unknownPodsPassAfter }: NodeOptions): readonly (readonly [string, NamedSet])[] {
  if (unknownPodsPassAfter === undefined) return [];
  return [[presentSet, timedSwitch]];
}
