import type { CellStates, StateId } from "../walk/cell-states.js";
import type { Lane, LaneItem, LaneTier } from "./lanes.js";

/** What a walk through a lane records. */
export interface LaneSink {
  /** Before an item takes anything. */
  readonly item?: (item: LaneItem) => void;
  /** An item meets the i-th of its cells in this state. */
  readonly rule?: (item: LaneItem, i: number, state: StateId) => void;
  /** Isolation meets a cell in this state (S1.2). */
  readonly isolation?: (cell: number, state: StateId) => void;
}

/** The states of all cells of a lane, with only these ports open. */
export const startLane = ({ cells }: Lane, start: StateId): Uint32Array => new Uint32Array(cells).fill(start);

/** Walks one tier past all cells of a lane; `at` holds the state of each cell before and after. */
export function walkTier(
  tier: LaneTier,
  lane: Lane,
  states: CellStates,
  at: Uint32Array,
  sink: LaneSink = {},
): void {
  walkRules(tier, states, at, sink);
  const isIsolated = tier.row.isolation.length > 0;
  for (let cell = 0; cell < at.length; cell++) {
    // S1.6
    if (isIsolated && lane.isExempt[cell] === 0) {
      sink.isolation?.(cell, at[cell]!);
      at[cell] = states.isolate(at[cell]!);
    }
    at[cell] = states.nextTier(at[cell]!);
  }
}

/** The same up to the last rule: without isolation. */
export function walkRules(
  { items }: LaneTier,
  states: CellStates,
  at: Uint32Array,
  sink: LaneSink = {},
): void {
  for (const item of items) {
    sink.item?.(item);
    const { cells, step } = item;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      sink.rule?.(item, i, at[cell]!);
      at[cell] = states.take(at[cell]!, step);
    }
  }
}
