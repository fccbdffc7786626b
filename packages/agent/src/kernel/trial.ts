import type { Chain, Ruleset } from "../ruleset/ruleset.js";
import { switchOn, timedSwitch } from "../ruleset/set-change.js";
import { done, type Outcome } from "./outcome.js";
import type { Table, Tables } from "./tables.js";

/*
 * Rules on trial are in a second table, and a timed set in each table determines which one judges:
 *
 *                     old table                          new table
 *                     meta nfproto @trial accept         meta nfproto != @trial accept
 *     element exists  accepts everything                 judges
 *     expired         judges                             accepts everything
 *
 * So the kernel returns to the old rules even if the agent does not run any more. The element of the old table expires first:
 * for a moment both judge, and there is never a moment in which none does.
 */
const trialSet = "trial";
const inactiveDuringTrial = `meta nfproto @${trialSet} accept`;
const activeDuringTrial = `meta nfproto != @${trialSet} accept`;
const overlapSeconds = 0.2;

/** The ruleset without the parts of a trial. */
export function withoutTrial(ruleset: Ruleset): Ruleset {
  const sets = new Map(ruleset.sets);
  sets.delete(trialSet);
  const isOfTrial = (rule: string | undefined): boolean =>
    rule === inactiveDuringTrial || rule === activeDuringTrial;
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
    ruleset: beginningWith(activeDuringTrial, next.ruleset),
    generation,
    trial: true,
    elements: next.learned + turn(name, seconds),
  });
  if (!tried.ok) return tried;
  const inactive = await tables.change(old, {
    ruleset: beginningWith(inactiveDuringTrial, old.held.ruleset),
    generation: old.state.generation,
    elements: turn(old.name, seconds) + turn(name, seconds + overlapSeconds),
  });
  if (!inactive.ok) {
    await tables.retire({ name, ruleset: next.ruleset });
    return inactive;
  }
  return done({
    old: inactive.value,
    tried: tried.value,
    plain: { old: old.held.ruleset, tried: next.ruleset },
  });
}

/** The new table judges permanently, then the old one is removed. */
export const confirmTrial = (tables: Tables, trial: Trial): Promise<Outcome<Table>> =>
  keepOnly(tables, trial, "tried", "old");

/** The old table judges again, then the new one is removed. */
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
