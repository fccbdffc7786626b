import { type Isolation, isUnsettled, type Rule, type Tiers } from "../../policy/model.js";
import { type Denials, denialsFrom, noDenials } from "./denials.js";
import { isolatingOf } from "../walk/isolating.js";
import type { Lane, LaneItem, LaneReader, LaneTier } from "./lanes.js";
import { startLane, walkRules, walkTier } from "./lane-walk.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { type CellStates, isSure, type StateId, type Step } from "../walk/cell-states.js";
import { type WitnessCell, witnessIn } from "./witness-cell.js";
import { TakenPorts } from "./taken-ports.js";
import type { Row } from "../compile/tier-rows.js";
import { realPorts } from "../change/translation.js";

/** What a rule is good for, in this cluster. */
export interface RuleNeed {
  /** Whether it matches any connection, including connections that are decided earlier. */
  matches: boolean;
  /** Where it may decide something. */
  decides?: WitnessCell;
  /** Whether it would decide something if no tier came before its own. */
  decidesInTier: boolean;
  /** Whether something would be said otherwise without it, as far as can be proven (S9.1). */
  needed: boolean;
  /** Whether something would, if nothing were known of what the tiers behind its own say. */
  neededInTier: boolean;
  /** While it decides nothing: what decides the connections that it matches, in this tier and those before. */
  readonly takers: Set<Rule | Isolation>;
  /** The same if no tier came before its own. */
  readonly takersInTier: Set<Rule>;
}

/**
 * For each rule: would the walks of its direction end otherwise without it? What the other end's policies say is not
 * counted on: two locks on one door are two locks. Where facts are missing (S9.1), a rule counts as needed unless every
 * answer to them makes it idle, or has the others say the same.
 */
export class RuleNeeds implements LaneReader {
  readonly all: ReadonlyMap<Rule, RuleNeed>;
  private readonly ports: PortSets;

  constructor({ tiers, ports }: { readonly tiers: Tiers; readonly ports: PortSets }) {
    const rules = [...tiers.egress, ...tiers.ingress].flatMap((tier) => tier.rules);
    this.all = new Map(rules.map((rule) => [rule, unknownNeed()]));
    this.ports = ports;
  }

  wants(rows: readonly Row[]): boolean {
    return rows.some(({ rules }) => rules.some((rule) => !this.all.get(rule)!.needed));
  }

  read(lane: Lane): void {
    new LaneNeeds(lane, this.all, this.ports).find();
  }
}

const unknownNeed = (): RuleNeed => ({
  matches: false,
  decidesInTier: false,
  needed: false,
  neededInTier: false,
  takers: new Set(),
  takersInTier: new Set(),
});

/** Walks a lane forwards, to see what reaches each rule, and backwards, to see what would happen without it. */
class LaneNeeds {
  private readonly real: PortSetId;
  private readonly states: CellStates;
  /** The ports that items may take from each of their cells, from the start of each. */
  private readonly taken: Uint32Array;
  private readonly before: TakenPorts<Rule | Isolation>;
  /** Of which nothing is known. */
  private readonly unknown: Denials;

  constructor(
    private readonly lane: Lane,
    private readonly needs: ReadonlyMap<Rule, RuleNeed>,
    private readonly ports: PortSets,
  ) {
    this.states = lane.field.view.states;
    this.real = realPorts(ports);
    this.taken = new Uint32Array(lane.size);
    this.before = new TakenPorts(lane.cells, ports);
    this.unknown = {
      surely: new Uint32Array(lane.cells),
      perhaps: new Uint32Array(lane.cells).fill(this.real),
    };
  }

  find(): void {
    const { lane, states } = this;
    const start = states.startWith(this.real);
    const at = startLane(lane, start);
    for (const tier of lane.tiers) {
      this.inTierAlone(tier, startLane(lane, start));
      this.forwards(tier, at);
    }
    let denied = noDenials(lane);
    for (const tier of lane.tiers.toReversed()) denied = this.backwards(tier, denied);
  }

  /** As if no tier came before. */
  private inTierAlone(tier: LaneTier, at: Uint32Array): void {
    const takers = new TakenPorts<Rule>(at.length, this.ports);
    walkRules(tier, this.states, at, {
      rule: ({ rule, cells, ports: wanted, effect, step }, i, state) => {
        const need = this.needs.get(rule)!;
        const taken = this.mayTake(state, step);
        if (taken !== noPorts) need.decidesInTier = true;
        else if (!need.decidesInTier) takers.note(cells[i]!, wanted, need.takersInTier);
        if (isSure(effect)) takers.add(cells[i]!, taken, rule);
      },
    });
  }

  private forwards(tier: LaneTier, at: Uint32Array): void {
    const { states, ports, before } = this;
    const takers = new TakenPorts<Rule | Isolation>(at.length, ports);
    const entering = at.slice();
    const isConditional = tier.items.some(({ rule }) => rule.condition !== undefined);
    const enters = (cell: number, wanted: PortSetId) =>
      ports.intersect(this.mayBeOpen(entering[cell]!), wanted) !== noPorts;
    const isolating = tier.row.isolation.length === 0 ? [] : isolatingOf(tier.layer.tier, tier.row);
    const isolated: (readonly [cell: number, ports: PortSetId])[] = [];
    walkTier(tier, this.lane, states, at, {
      rule: ({ rule, cells, start, ports: wanted, effect, step }, i, state) => {
        const cell = cells[i]!;
        const need = this.needs.get(rule)!;
        const taken = this.mayTake(state, step);
        need.matches = true;
        if (taken !== noPorts) need.decides ??= witnessIn(this.lane, cell, taken);
        else if (need.decides === undefined) {
          before.note(cell, wanted, need.takers);
          takers.note(cell, wanted, need.takers);
        }
        // S7.7: the conditions of an Allow depend on all rules that allow, whichever comes first.
        if (isConditional && rule.action === "Allow" && enters(cell, wanted)) need.needed = true;
        this.taken[start + i] = taken;
        if (isSure(effect)) takers.add(cell, taken, rule);
      },
      isolation: (cell, state) => isolated.push([cell, this.mayBeOpen(state)]),
    });
    // What rules of the tier passed is not taken from the tiers behind it.
    for (const { rule, effect, cells, start } of tier.items)
      if (rule.action !== "Pass" && isSure(effect))
        for (let i = 0; i < cells.length; i++) before.add(cells[i]!, this.taken[start + i]!, rule);
    for (const entry of isolating) for (const [cell, open] of isolated) before.add(cell, open, entry);
  }

  private mayTake(state: StateId, step: Step): PortSetId {
    const { surely, perhaps } = this.states.taken(state, step);
    return this.ports.union(surely, perhaps);
  }

  private mayBeOpen(state: StateId): PortSetId {
    const { surely, perhaps } = this.states.open(state);
    return this.ports.union(surely, perhaps);
  }

  private backwards(tier: LaneTier, behind: Denials): Denials {
    const ask = (whether: "needed" | "neededInTier", behindIt: Denials) =>
      denialsFrom(tier, this.lane, behindIt, this.ports, this.real, (start, end, without) => {
        const need = this.needs.get(tier.items[start]!.rule)!;
        for (let i = start; i < end && !need[whether]; i++)
          need[whether] = this.matters(tier.items[i]!, without, behindIt);
      });
    if (tier.row.rules.some((rule) => !this.needs.get(rule)!.neededInTier)) ask("neededInTier", this.unknown);
    return ask("needed", behind);
  }

  /** Whether what an item takes would be said otherwise by what comes after its rule. */
  private matters(item: LaneItem, after: Denials, behind: Denials): boolean {
    const { ports } = this;
    const { cells, rule } = item;
    const taken = this.taken.subarray(item.start, item.start + item.cells.length);
    for (let i = 0; i < cells.length; i++) {
      if (taken[i] === noPorts) continue;
      const cell = cells[i]!;
      const surely = after.surely[cell]!;
      const perhaps = after.perhaps[cell]!;
      switch (rule.action) {
        case "Allow":
          // What allows under such a condition may deny as well.
          if (isUnsettled(rule)) return true;
          if (ports.intersect(taken[i]!, perhaps) !== noPorts) return true;
          break;
        case "Deny":
          if (ports.subtract(taken[i]!, surely) !== noPorts) return true;
          break;
        case "Pass": {
          const bothDeny = ports.intersect(surely, behind.surely[cell]!);
          const oneMayDeny = ports.union(perhaps, behind.perhaps[cell]!);
          const alike = ports.union(bothDeny, ports.subtract(this.real, oneMayDeny));
          if (ports.subtract(taken[i]!, alike) !== noPorts) return true;
        }
      }
    }
    return false;
  }
}
