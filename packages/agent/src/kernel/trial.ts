import type { Chain, Ruleset } from "../ruleset/ruleset.js";
import { switchOn, timedSwitch } from "../ruleset/timed-switch.js";
import { done, type Outcome } from "./outcome.js";
import type { Table, Tables } from "./tables.js";

/*
 * Rules on trial stand in a table of their own beside the old one, and a timed set in each says whose turn it is:
 *
 *                     old table                          new table
 *                     meta nfproto @trial accept         meta nfproto != @trial accept
 *     while it lives  looks away                         judges
 *     when it is over judges                             looks away
 *
 * So the kernel goes back by itself, whatever became of the agent. The old table's element is the first to go: for a moment
 * both judge, and never neither.
 */
const trialSet = "trial";
const lookAway = `meta nfproto @${trialSet} accept`;
const judgeMeanwhile = `meta nfproto != @${trialSet} accept`;
const overlapSeconds = 0.2;

/** The ruleset without anything of a trial, whatever part it had in one. */
export function withoutTrial(ruleset: Ruleset): Ruleset {
  const sets = new Map(ruleset.sets);
  sets.delete(trialSet);
  const isOfTrial = (rule: string | undefined): boolean => rule === lookAway || rule === judgeMeanwhile;
  const plain = ({ rules, ...rest }: Chain): Chain => ({
    ...rest,
    rules: isOfTrial(rules[0]) ? rules.slice(1) : rules,
  });
  return {
    ...ruleset,
    sets,
    chains: new Map([...ruleset.chains].map(([name, chain]) => [name, plain(chain)])),
  };
}

function beginningWith(rule: string, ruleset: Ruleset): Ruleset {
  const sets = new Map(ruleset.sets);
  sets.set(trialSet, timedSwitch);
  const chains = new Map(ruleset.chains);
  for (const [name, chain] of ruleset.chains) {
    if (chain.hook !== undefined) chains.set(name, { hook: chain.hook, rules: [rule, ...chain.rules] });
  }
  return { ...ruleset, sets, chains };
}

const turn = (table: string, seconds: number): string => switchOn(table, trialSet, seconds * 1000);

/** Both tables while a trial lasts. */
export interface Trial {
  readonly old: Table;
  readonly tried: Table;
  /** The rulesets as they are without a trial. */
  readonly plain: { readonly old: Ruleset; readonly tried: Ruleset };
}

export async function beginTrial(
  tables: Tables,
  old: Table,
  next: {
    readonly name: string;
    readonly ruleset: Ruleset;
    readonly generation: number;
    readonly learned: string;
  },
  seconds: number,
): Promise<Outcome<Trial>> {
  const { name, generation } = next;
  const tried = await tables.load(name, {
    ruleset: beginningWith(judgeMeanwhile, next.ruleset),
    generation,
    trial: true,
    elements: next.learned + turn(name, seconds),
  });
  if (!tried.ok) return tried;
  const away = await tables.change(old, {
    ruleset: beginningWith(lookAway, old.held.ruleset),
    generation: old.state.generation,
    elements: turn(old.name, seconds) + turn(name, seconds + overlapSeconds),
  });
  if (!away.ok) {
    await tables.retire({ name, ruleset: next.ruleset });
    return away;
  }
  return done({
    old: away.value,
    tried: tried.value,
    plain: { old: old.held.ruleset, tried: next.ruleset },
  });
}

/** The new table judges for good, then the old one goes. */
export const confirmTrial = (tables: Tables, trial: Trial): Promise<Outcome<Table>> =>
  keepOnly(tables, trial, "tried", "old");

/** The old table judges again, then the new one goes. */
export const endTrial = (tables: Tables, trial: Trial): Promise<Outcome<Table>> =>
  keepOnly(tables, trial, "old", "tried");

async function keepOnly(
  tables: Tables,
  trial: Trial,
  staying: "old" | "tried",
  going: "old" | "tried",
): Promise<Outcome<Table>> {
  const { generation } = trial[staying].state;
  const kept = await tables.change(trial[staying], { ruleset: trial.plain[staying], generation });
  if (!kept.ok) return kept;
  const gone = await tables.retire({ name: trial[going].name, ruleset: trial.plain[going] });
  return gone.ok ? kept : gone;
}
