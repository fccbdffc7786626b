import type { NodeOptions } from "./program.js";
import type { NamedSet } from "./ruleset.js";
import { timedSwitch } from "./timed-switch.js";

/*
 * Unknown pods are held back until the agent has rules for them. Where there is no agent any more, that would be forever. The operator
 * may choose that they pass once it has been gone for a while: the rules that hold them back ask a timed set, which the agent
 * renews while it runs. The kernel keeps the time, whatever became of the agent:
 *
 *     ip saddr 10.244.1.0/24 meta nfproto @present goto unknown_egress
 */

export const presentSet = "present";

/** In front of the verdict of a rule that holds an unknown pod back; nothing where it does so for good. */
export const whilePresent = ({ unknownPodsPassAfter }: NodeOptions): string =>
  unknownPodsPassAfter === undefined ? "" : `meta nfproto @${presentSet} `;

export function presentSets({ unknownPodsPassAfter }: NodeOptions): readonly (readonly [string, NamedSet])[] {
  if (unknownPodsPassAfter === undefined) return [];
  return [[presentSet, timedSwitch]];
}
