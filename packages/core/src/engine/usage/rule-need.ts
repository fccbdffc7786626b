import { type Isolation, isUnsettled, type Rule } from "../../policy/model.js";
import { type Denials, denialsFrom, noDenials } from "./denials.js";
import type { Engine } from "../engine.js";
import { isolatingOf } from "../walk/isolated.js";
import type { Lane, LaneItem, LaneReader, LaneTier } from "./lanes.js";
import { openBehind } from "./open-behind.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { isSure } from "../compile/rule-items.js";
import { type Spot, spotIn } from "./spot.js";
import { type PortsByCell, Takers } from "./takers.js";
import type { Row } from "../compile/tier-rows.js";
import { realPorts } from "../change/translation.js";

/** What a rule is good for, in this cluster. */
export interface RuleNeed {
  /** Whether there is any connection that it speaks of, be it decided before. */
  matches: boolean;
  /** Where it may decide something. */
  decides?: Spot;
  /** Whether it would decide something if no tier came before its own. */
  decidesInTier: boolean;
  /** Whether something would be said otherwise without it, as far as can be proven (S9.1). */
  needed: boolean;
  /** Whether something would, if nothing were known of what the tiers behind its own say. */
  neededInTier: boolean;
  /** While it decides nothing: who takes what it speaks of, in this tier and those before. */
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

  constructor({ tiers, ports }: Pick<Engine, "tiers" | "ports">) {
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

/** Goes through a lane forwards, to see what reaches each rule, and backwards, to see what would happen without it. */
class LaneNeeds {
  private readonly real: PortSetId;
  /** The ports that items may take from each of their cells, from the start of each. */
  private readonly taken: Uint32Array;
  private readonly before: Takers<Rule | Isolation>;
  /** Of which nothing is known. */
  private readonly unknown: Denials;

  constructor(
    private readonly lane: Lane,
    private readonly needs: ReadonlyMap<Rule, RuleNeed>,
    private readonly ports: PortSets,
  ) {
    this.real = realPorts(ports);
    this.taken = new Uint32Array(lane.size);
    this.before = new Takers(lane.cells, ports);
    this.unknown = {
      surely: new Uint32Array(lane.cells),
      perhaps: new Uint32Array(lane.cells).fill(this.real),
    };
  }

  find(): void {
    const { cells, tiers } = this.lane;
    let open = new Uint32Array(cells).fill(this.real);
    for (const tier of tiers) open = this.forwards(tier, open);
    let denied = noDenials(this.lane);
    for (const tier of tiers.toReversed()) denied = this.backwards(tier, denied);
  }

  /** What may be open behind the tier. */
  private forwards(tier: LaneTier, entering: PortsByCell): PortsByCell {
    const walk = new TierWalk(tier, entering, this.real, this.ports);
    for (const item of tier.items) this.take(item, walk);
    this.remember(tier, walk.open);
    return openBehind(tier, this.lane, walk.open, walk.passed, this.ports);
  }

  // S1.1
  private take({ rule, cells, start, ports: wanted, effect }: LaneItem, walk: TierWalk): void {
    const { ports } = this;
    const { open, openInTier, passed } = walk;
    const need = this.needs.get(rule)!;
    need.matches = true;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      const now = ports.intersect(open[cell]!, wanted);
      const nowInTier = ports.intersect(openInTier[cell]!, wanted);
      if (nowInTier !== noPorts) need.decidesInTier = true;
      else if (!need.decidesInTier) walk.takersInTier.note(cell, wanted, need.takersInTier);
      if (now !== noPorts) need.decides ??= spotIn(this.lane, cell, now);
      else if (need.decides === undefined) {
        this.before.note(cell, wanted, need.takers);
        walk.takers.note(cell, wanted, need.takers);
      }
      // S7.7: which conditions an Allow has hangs on all that allow, whoever of them comes first.
      if (walk.isConditional && rule.action === "Allow" && walk.enters(cell, wanted)) need.needed = true;
      this.taken[start + i] = now;
      if (rule.action === "Pass") passed[cell] = ports.union(passed[cell]!, now);
      if (!isSure(effect)) continue;
      open[cell] = ports.subtract(open[cell]!, wanted);
      openInTier[cell] = ports.subtract(openInTier[cell]!, wanted);
      walk.takers.add(cell, now, rule);
      walk.takersInTier.add(cell, nowInTier, rule);
    }
  }

  /** Who decided what in the tier, for the tiers behind it. */
  private remember({ layer, row, items }: LaneTier, open: PortsByCell): void {
    for (const { rule, effect, cells, start } of items)
      if (rule.action !== "Pass" && isSure(effect))
        for (let i = 0; i < cells.length; i++) this.before.add(cells[i]!, this.taken[start + i]!, rule);
    if (row.isolation.length === 0) return;
    for (const isolation of isolatingOf(layer.tier, row))
      for (let cell = 0; cell < open.length; cell++)
        if (this.lane.isExempt[cell] === 0) this.before.add(cell, open[cell]!, isolation);
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

/** What is known while the rules of a tier are gone through. */
class TierWalk {
  /** What may be open, and what would be if no tier came before. */
  readonly open: PortsByCell;
  readonly openInTier: PortsByCell;
  readonly passed: PortsByCell;
  readonly takers: Takers<Rule | Isolation>;
  readonly takersInTier: Takers<Rule>;
  readonly isConditional: boolean;

  constructor(
    { items }: LaneTier,
    private readonly entering: PortsByCell,
    all: PortSetId,
    private readonly ports: PortSets,
  ) {
    this.open = entering.slice();
    this.openInTier = new Uint32Array(entering.length).fill(all);
    this.passed = new Uint32Array(entering.length);
    this.takers = new Takers(entering.length, ports);
    this.takersInTier = new Takers(entering.length, ports);
    this.isConditional = items.some(({ rule }) => rule.condition !== undefined);
  }

  enters(cell: number, wanted: PortSetId): boolean {
    return this.ports.intersect(this.entering[cell]!, wanted) !== noPorts;
  }
}
