import type { Grain } from "@tierwall/core";
import { type Matrix, matrixOf, Reasons } from "@tierwall/core/analysis";
import type { HeldState } from "../held-state.js";

/** All pairs of a state in one grain, and why each is what it is. */
export interface HeldMatrix {
  readonly matrix: Matrix;
  readonly reasons: Reasons;
}

const known = new WeakMap<HeldState, Map<Grain, HeldMatrix>>();

/** Of every port: one port is looked up in the cells, which is quicker than asking the engine again. */
export function heldMatrix(held: HeldState, by: Grain): HeldMatrix {
  const ofState = known.get(held) ?? new Map<Grain, HeldMatrix>();
  known.set(held, ofState);
  const made = ofState.get(by) ?? make(held, by);
  ofState.set(by, made);
  return made;
}

function make({ engine }: HeldState, by: Grain): HeldMatrix {
  const all = { from: [], to: [], namespaces: [], labels: [], ports: [], undecided: "show" } as const;
  const made = matrixOf(engine, { ...all, by });
  if (!made.ok) throw new Error(made.diagnostic.message);
  return { matrix: made.value, reasons: new Reasons(engine, made.value) };
}
