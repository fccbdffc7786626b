import type { Lane, LaneTier } from "./lanes.js";
import { noPorts, type PortSets } from "../../sets/port-sets.js";
import type { PortsByCell } from "./takers.js";

/** S1.2, S1.3: what is open behind a tier, of what its rules left and what they passed. */
export function openBehind(
  { row }: LaneTier,
  { isExempt }: Lane,
  left: PortsByCell,
  passed: PortsByCell,
  ports: PortSets,
): PortsByCell {
  const isIsolated = row.isolation.length > 0;
  return left.map((rest, cell) =>
    ports.union(isIsolated && isExempt[cell] === 0 ? noPorts : rest, passed[cell]!),
  );
}
