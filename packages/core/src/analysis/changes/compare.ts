import { ChangedParts } from "../../engine/changed-parts.js";
import { compileBoth } from "../../engine/compile-both.js";
import type { Engine } from "../../engine/engine.js";
import type { Grain } from "../party.js";
import type { State } from "../state.js";
import { ChangeRows } from "./change-rows.js";
import type { StateChanges } from "./changes.js";

/** What the second state allows differently from the first. */
export function compareStates(before: State, after: State, by: Grain = "workload"): StateChanges {
  return compareEngines(...compileBoth(before, after), by);
}

/** The same for engines that somebody has already; they may be asked about more afterwards. */
export function compareEngines(before: Engine, after: Engine, by: Grain): StateChanges {
  const parts = new ChangedParts(before, after);
  const rows = new ChangeRows(parts, by);
  for (const part of parts) rows.add(part);
  const { appeared, disappeared } = parts.difference;
  return { by, rows: rows.all(), totals: rows.totals(), appeared, disappeared, parties: rows.parties };
}
