import type { Isolation, Rule } from "../policy/model.js";
import { type Denials, denialsFrom, noDenials } from "./denials.js";
import type { Engine } from "./engine.js";
import { isolatingOf } from "./isolated.js";
import type { Lane, LaneItem, LaneReader, LaneTier } from "./lanes.js";
import { noPorts, type PortSetId, type PortSets } from "./port-sets.js";
import { type Spot, spotIn } from "./spot.js";
import { type PortsByCell, Takers } from "./takers.js";
import type { Row } from "./tier-rows.js";
import { realPorts } from "./translation.js";

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
  /** By item: the ports that it may take from each of its cells. */
  private readonly taken = new Map<LaneItem, PortsByCell>();
  private readonly before: Takers<Rule | Isolation>;
  /** Of which nothing is known. */
  private readonly unknown: Denials;

  constructor(
    private readonly lane: Lane,
    private readonly needs: ReadonlyMap<Rule, RuleNeed>,
    private readonly ports: PortSets,
  ) {
    this.real = realPorts(ports);
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
  private forwards({ layer, row, items }: LaneTier, entering: PortsByCell): PortsByCell {
    const { ports } = this;
    const open = entering.slice();
    const openInTier = new Uint32Array(open.length).fill(this.real);
    const passed = new Uint32Array(open.length);
    const here = new Takers<Rule | Isolation>(open.length, ports);
    const inTier = new Takers<Rule>(open.length, ports);
    // S7.7: which conditions an Allow has hangs on all that allow, whoever of them comes first.
    const isConditional = row.rules.some(({ condition }) => condition !== undefined);
    for (const item of items) {
      const { rule, cells, ports: wanted, effect } = item;
      const need = this.needs.get(rule)!;
      const taken = new Uint32Array(cells.length);
      for (let i = 0; i < cells.length; i++) {
        const cell = cells[i]!;
        const now = ports.intersect(open[cell]!, wanted);
        const nowInTier = ports.intersect(openInTier[cell]!, wanted);
        need.matches = true;
        if (nowInTier !== noPorts) need.decidesInTier = true;
        else if (!need.decidesInTier) inTier.note(cell, wanted, need.takersInTier);
        if (now !== noPorts) need.decides ??= spotIn(this.lane, cell, now);
        else if (need.decides === undefined) {
          this.before.note(cell, wanted, need.takers);
          here.note(cell, wanted, need.takers);
        }
        if (isConditional && rule.action === "Allow" && ports.intersect(entering[cell]!, wanted) !== noPorts)
          need.needed = true;
        taken[i] = now;
        if (rule.action === "Pass") passed[cell] = ports.union(passed[cell]!, now);
        if (effect === "Maybe") continue;
        // S1.1
        open[cell] = ports.subtract(open[cell]!, wanted);
        openInTier[cell] = ports.subtract(openInTier[cell]!, wanted);
        here.add(cell, now, rule);
        inTier.add(cell, nowInTier, rule);
      }
      this.taken.set(item, taken);
    }
    for (const item of items)
      if (item.rule.action !== "Pass" && item.effect !== "Maybe")
        this.before.addAll(item.cells, this.taken.get(item)!, item.rule);
    if (row.isolation.length > 0) {
      const isolating = isolatingOf(layer.tier, row);
      for (let cell = 0; cell < open.length; cell++) {
        if (this.lane.isExempt[cell] === 1) continue;
        for (const isolation of isolating) this.before.add(cell, open[cell]!, isolation);
        open[cell] = noPorts;
      }
    }
    // S1.3
    for (let cell = 0; cell < open.length; cell++) open[cell] = ports.union(open[cell]!, passed[cell]!);
    return open;
  }

  private backwards(tier: LaneTier, behind: Denials): Denials {
    const ask = (whether: "needed" | "neededInTier", behindIt: Denials) =>
      denialsFrom(tier, this.lane, behindIt, this.ports, this.real, (items, without) => {
        const need = this.needs.get(items[0]!.rule)!;
        if (!need[whether] && items.some((item) => this.matters(item, without, behindIt)))
          need[whether] = true;
      });
    if (tier.row.rules.some((rule) => !this.needs.get(rule)!.neededInTier)) ask("neededInTier", this.unknown);
    return ask("needed", behind);
  }

  /** Whether what an item takes would be said otherwise by what comes after its rule. */
  private matters(item: LaneItem, after: Denials, behind: Denials): boolean {
    const { ports } = this;
    const { cells, rule } = item;
    const taken = this.taken.get(item)!;
    for (let i = 0; i < cells.length; i++) {
      if (taken[i] === noPorts) continue;
      const cell = cells[i]!;
      const [surely, perhaps] = [after.surely[cell]!, after.perhaps[cell]!];
      switch (rule.action) {
        case "Allow":
          // What allows after authentication may deny as well.
          if (rule.condition?.kind === "authentication") return true;
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
