import type { Generations } from "./generations.js";
import { done, type Outcome } from "./outcome.js";
import { asFound, type FoundTable, type Table, type Tables } from "./tables.js";
import { endTrial, withoutTrial } from "./trial.js";

/** What an agent before this one left in the kernel. */
interface Recovered {
  readonly current?: Table;
  /** Why the table cannot stay as it is. */
  readonly suspect?: string;
  /** Tables with our names that have to go. */
  readonly strays: readonly FoundTable[];
}

/**
 * Finds our tables, at whatever moment the agent before was killed. A transaction is whole or not at all; so of two tables
 * the newer is whole, and the older was about to go, unless one of them was on trial: then it is the other that counts.
 */
export async function recover(
  tables: Tables,
  generations: Generations,
  names: readonly string[],
): Promise<Outcome<Recovered>> {
  const found: FoundTable[] = [];
  for (const name of names) {
    const table = await tables.find(name);
    if (!table.ok) return table;
    if (table.value) found.push(table.value);
  }
  const ours = found.filter(isOurs);
  for (const { state } of ours) generations.follow(state);
  const [newest, older] = ours.toSorted((a, b) => b.state.sequence - a.state.sequence);
  const tried = ours.find(({ state }) => state.trial);
  if (newest === undefined) return done({ strays: found });
  if (older && tried) return goBack(tables, tried === newest ? older : newest, tried);
  const [strange] = newest.strange.map((text) => `found ${text}`);
  const suspect = tried ? "there is only a table on trial" : strange;
  return done({
    current: asFound(newest, newest.state),
    strays: found.filter((table) => table !== newest),
    ...(suspect !== undefined && { suspect }),
  });
}

type OurTable = FoundTable & { readonly state: Table["state"] };
const isOurs = (table: FoundTable): table is OurTable => table.state !== undefined;

async function goBack(tables: Tables, old: OurTable, tried: OurTable): Promise<Outcome<Recovered>> {
  const back = await endTrial(tables, {
    old: asFound(old, old.state),
    tried: asFound(tried, tried.state),
    plain: { old: withoutTrial(old.ruleset), tried: withoutTrial(tried.ruleset) },
  });
  return back.ok ? done({ current: back.value, strays: [] }) : back;
}
