import {
  type Denials,
  denialsFrom,
  type Engine,
  type Lane,
  type LaneItem,
  type LaneReader,
  noDenials,
  readLanes,
  realPorts,
  type Row,
  startLane,
  walkTier,
} from "../../engine/index.js";
import type { Rule } from "../../policy/model.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";

/*
 * Which rules can be removed at once. K are the rules that stay, C those that go:
 *
 *   if each c of C is not needed in K + c, then K decides every connection as K + C does:
 *   the first rule of K + C that matches it is the first in K as well, or is a c, and K + c decides as K does.
 *
 * A rule that passes does not end the walk, so this holds of rules that allow or deny. Where facts are missing (S9.1), a rule counts as needed
 * unless every answer to them has the others decide the same.
 */

/** The largest part of these rules that was found to be removable at once. */
export function removableTogether(
  engines: readonly Engine[],
  candidates: readonly Rule[],
): ReadonlySet<Rule> {
  let chosen = new Set(candidates.filter(({ action }) => action !== "Pass"));
  while (chosen.size > 0) {
    const needed = new Set<Rule>();
    for (const engine of engines) readLanes(engine, [new JointNeeds(engine, chosen, needed)]);
    if (needed.size === 0) break;
    chosen = new Set([...chosen].filter((rule) => !needed.has(rule)));
  }
  return chosen;
}

class JointNeeds implements LaneReader {
  private readonly real: PortSetId;

  constructor(
    private readonly engine: Engine,
    private readonly removed: ReadonlySet<Rule>,
    private readonly needed: Set<Rule>,
  ) {
    this.real = realPorts(engine.ports);
  }

  wants(rows: readonly Row[]): boolean {
    return rows.some(({ rules }) => rules.some((rule) => this.removed.has(rule) && !this.needed.has(rule)));
  }

  read(lane: Lane): void {
    const taken = this.forwards(lane);
    let behind = noDenials(lane);
    for (const tier of lane.tiers.toReversed()) {
      // In its place among the others, a rule without cells has no effect.
      const items = tier.items.map((item) =>
        this.removed.has(item.rule) ? { ...item, cells: noCells } : item,
      );
      behind = denialsFrom(
        { ...tier, items },
        lane,
        behind,
        this.engine.ports,
        this.real,
        (start, end, without) => {
          const { rule } = items[start]!;
          if (!this.removed.has(rule) || this.needed.has(rule)) return;
          if (tier.items.slice(start, end).some((item) => this.matters(item, taken.get(item)!, without)))
            this.needed.add(rule);
        },
      );
    }
  }

  /** By item, the ports that each removed rule would take from its cells, if it alone came back. */
  private forwards(lane: Lane): ReadonlyMap<LaneItem, Uint32Array> {
    const { states } = lane.field.view;
    const found = new Map<LaneItem, Uint32Array>();
    const at = startLane(lane, states.startWith(this.real));
    for (const tier of lane.tiers) {
      for (const item of tier.items) {
        const { cells, step, rule } = item;
        if (this.removed.has(rule))
          found.set(
            item,
            cells.map((cell) => {
              const { surely, perhaps } = states.taken(at[cell]!, step);
              return this.engine.ports.union(surely, perhaps);
            }),
          );
        else for (const cell of cells) at[cell] = states.take(at[cell]!, step);
      }
      walkTier({ ...tier, items: [] }, lane, states, at);
    }
    return found;
  }

  /** Whether what comes after a rule may decide otherwise what it would take. */
  private matters({ cells, rule }: LaneItem, taken: Uint32Array, after: Denials): boolean {
    const { ports } = this.engine;
    return cells.some((cell, i) => {
      if (taken[i] === noPorts) return false;
      return rule.action === "Allow"
        ? ports.intersect(taken[i]!, after.perhaps[cell]!) !== noPorts
        : ports.subtract(taken[i]!, after.surely[cell]!) !== noPorts;
    });
  }
}

const noCells = new Uint32Array();
