import { type ChangedPart, ChangedParts } from "../../engine/changed-parts.js";
import { compileBoth } from "../../engine/compile-both.js";
import type { Grain } from "../party.js";
import type { State } from "../../state/state.js";
import { ChangeRows } from "./change-rows.js";
import type { StateChanges } from "./changes.js";
import { foreignChanges } from "./foreign-changes.js";

/** What the second state allows differently from the first. */
export function compareStates(before: State, after: State, by: Grain = "workload"): StateChanges {
  const changes = gatherChanges(new ChangedParts(...compileBoth(before, after)), by);
  return { ...changes, foreign: foreignChanges(before.foreign, after.foreign) };
}

/** What policies that are evaluated change, in parts that `look` sees as well. */
export function gatherChanges(
  parts: ChangedParts,
  by: Grain,
  look: (part: ChangedPart) => void = () => undefined,
): StateChanges {
  const rows = new ChangeRows(parts, by);
  for (const part of parts) {
    rows.add(part);
    look(part);
  }
  const { appeared, disappeared } = parts.difference;
  return {
    by,
    rows: rows.all(),
    totals: rows.totals(),
    appeared,
    disappeared,
    foreign: [],
    parties: rows.parties,
  };
}
