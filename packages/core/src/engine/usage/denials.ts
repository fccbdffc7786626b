import { isUnsettled } from "../../policy/model.js";
import type { Lane, LaneItem, LaneTier } from "./lanes.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { isSure } from "../walk/cell-states.js";
import type { PortsByCell } from "./taken-ports.js";

/** What is denied from some point of a walk on: whatever the facts that are missing, and if they are so (S9.1). */
export interface Denials {
  readonly surely: PortsByCell;
  readonly perhaps: PortsByCell;
}

/** S1.3: behind the last tier, nothing. */
export const noDenials = ({ cells }: Pick<Lane, "cells">): Denials => ({
  surely: new Uint32Array(cells),
  perhaps: new Uint32Array(cells),
});

/**
 * What is denied from a tier on, given what is denied after it. Processes the rules of the tier backwards. For each
 * rule, which is the items from `start` to before `end`, `before` receives what would be denied without it.
 */
export function denialsFrom(
  { row, items }: LaneTier,
  { isExempt }: Pick<Lane, "isExempt">,
  behind: Denials,
  ports: PortSets,
  all: PortSetId,
  before: (start: number, end: number, without: Denials) => void = () => undefined,
): Denials {
  const denied = { surely: behind.surely.slice(), perhaps: behind.perhaps.slice() };
  // S1.2
  if (row.isolation.length > 0)
    for (let cell = 0; cell < isExempt.length; cell++)
      if (isExempt[cell] === 0) denied.surely[cell] = denied.perhaps[cell] = all;
  for (let end = items.length; end > 0; ) {
    let start = end - 1;
    while (start > 0 && items[start - 1]!.rule === items[start]!.rule) start--;
    before(start, end, denied);
    for (let i = end - 1; i >= start; i--) precede(items[i]!, denied, behind, ports, all);
    end = start;
  }
  return denied;
}

/** Makes of what is denied behind an item what is denied from it on. */
function precede(
  { cells, ports: wanted, effect, rule }: LaneItem,
  { surely, perhaps }: Denials,
  behind: Denials,
  ports: PortSets,
  all: PortSetId,
): void {
  const mayFail = isUnsettled(rule);
  const isCertain = isSure(effect);
  // What is denied if the rule matches; what it passes is for the tiers behind to say.
  const sureAnyway = rule.action === "Deny" ? ports.intersect(all, wanted) : noPorts;
  const possibleAnyway = mayFail ? ports.intersect(all, wanted) : sureAnyway;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!;
    const wasSure = surely[cell]!;
    const wasPossible = perhaps[cell]!;
    const passes = rule.action === "Pass";
    const sure = passes ? ports.intersect(behind.surely[cell]!, wanted) : sureAnyway;
    const possible = passes ? ports.intersect(behind.perhaps[cell]!, wanted) : possibleAnyway;
    // A rule that may not match leaves possible what is said after it.
    surely[cell] = ports.union(
      ports.subtract(wasSure, wanted),
      isCertain ? sure : ports.intersect(sure, wasSure),
    );
    perhaps[cell] = ports.union(isCertain ? ports.subtract(wasPossible, wanted) : wasPossible, possible);
  }
}
