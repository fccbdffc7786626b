import type { Generations } from "./generations.js";
import { done, type Outcome } from "./outcome.js";
import { asFound, type FoundTable, type Stray, type Table, type Tables } from "./tables.js";
import { endTrial, withoutTrial } from "./trial.js";

/** What an earlier agent left in the kernel. */
interface Recovered {
  readonly current?: Table;
  /** Why the table cannot stay as it is. */
  readonly suspect?: string;
  /** Tables with Tierwall's names that have to be removed. */
  readonly strays: readonly Stray[];
}

/**
 * Finds Tierwall's tables, at whatever moment the earlier agent was killed. Transactions are atomic: of two tables the newer is
 * complete and the older was about to be removed, unless one of them was on trial: then the other one counts.
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
  const own = found.filter(isOurs);
  for (const { state } of own) generations.follow(state);
  const [newest, older] = own.toSorted((a, b) => b.state.sequence - a.state.sequence);
  const tried = own.find(({ state }) => state.trial);
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
