import {
  type Engine,
  isolatingOf,
  isSure,
  type Lane,
  type LaneReader,
  type LaneTier,
  openBehind,
  type PortsByCell,
  readLanes,
  realPorts,
  type Row,
  spotIn,
  Takers,
} from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Direction, PolicyRef, Rule, Tier } from "../../policy/model.js";
import { OverrideCounts } from "./override-counts.js";
import type { Intent, Override } from "./override.js";

export type { Intent, Override, OverridingRule } from "./override.js";

/** What the tiers before network-policy take from the policies there and decide otherwise. */
export function overrides(engine: Engine): readonly Override[] {
  const found = new Overrides(engine);
  readLanes(engine, [found]);
  return found.all();
}

/** Collects overrides. Only what is certain: where it hangs on facts that are missing (S9.1), nothing is said. */
export class Overrides implements LaneReader {
  private readonly found: OverrideCounts;
  /** Which of the tiers is network-policy; -1 where none is. */
  private readonly local: Readonly<Record<Direction, number>>;

  constructor(private readonly engine: Engine) {
    const localIn = (tiers: readonly Tier[]) => tiers.findIndex(({ name }) => name === "network-policy");
    this.local = { egress: localIn(engine.tiers.egress), ingress: localIn(engine.tiers.ingress) };
    this.found = new OverrideCounts(engine.cluster);
  }

  wants(rows: readonly Row[], direction: Direction): boolean {
    const at = this.local[direction];
    const own = rows[at];
    const isTold = own !== undefined && (own.rules.length > 0 || own.isolation.length > 0);
    return isTold && rows.slice(0, at).some(({ rules }) => rules.length > 0);
  }

  read(lane: Lane): void {
    new LaneOverrides(lane, this.local[lane.direction], this.engine.ports, this.found).find();
  }

  all(): readonly Override[] {
    return this.found.all();
  }
}

class LaneOverrides {
  private readonly all: PortSetId;
  private readonly takers: Takers<Rule>;
  /** What the tiers before say. */
  private readonly allowed: PortsByCell;
  private readonly denied: PortsByCell;

  constructor(
    private readonly lane: Lane,
    private readonly local: number,
    private readonly ports: PortSets,
    private readonly found: OverrideCounts,
  ) {
    this.all = realPorts(ports);
    this.takers = new Takers(lane.cells, ports);
    this.allowed = new Uint32Array(lane.cells);
    this.denied = new Uint32Array(lane.cells);
  }

  find(): void {
    const { tiers, cells } = this.lane;
    let open = new Uint32Array(cells).fill(this.all);
    for (const tier of tiers.slice(0, this.local)) open = this.walkBefore(tier, open);
    this.compare(tiers[this.local]!);
  }

  /** What is surely open behind a tier. */
  private walkBefore(tier: LaneTier, entering: PortsByCell): PortsByCell {
    const { ports } = this;
    const open = entering.slice();
    const passed = new Uint32Array(open.length);
    for (const { cells, ports: wanted, effect, rule } of tier.items) {
      const into = isSure(effect)
        ? { Allow: this.allowed, Deny: this.denied, Pass: passed }[effect]
        : undefined;
      for (let i = 0; i < cells.length; i++) {
        const cell = cells[i]!;
        const taken = ports.intersect(open[cell]!, wanted);
        if (taken === noPorts) continue;
        open[cell] = ports.subtract(open[cell]!, taken);
        if (into !== undefined) into[cell] = ports.union(into[cell]!, taken);
        if (effect === "Allow" || effect === "Deny") this.takers.add(cell, taken, rule);
      }
    }
    return openBehind(tier, this.lane, open, passed, ports);
  }

  /** What the tier would say if all of it got there, held against what is said before. */
  private compare({ layer, row, items }: LaneTier): void {
    const { ports } = this;
    const open = new Uint32Array(this.lane.cells).fill(this.all);
    const said = { Allow: new Uint32Array(open.length), Deny: new Uint32Array(open.length) };
    for (const { cells, ports: wanted, effect } of items) {
      const into = effect === "Allow" || effect === "Deny" ? said[effect] : undefined;
      for (let i = 0; i < cells.length; i++) {
        const cell = cells[i]!;
        if (into !== undefined) into[cell] = ports.union(into[cell]!, ports.intersect(open[cell]!, wanted));
        open[cell] = ports.subtract(open[cell]!, wanted);
      }
    }
    // All rules that match are overridden, whichever of them comes first.
    for (const effect of ["Allow", "Deny"] as const) {
      const against = effect === "Allow" ? this.denied : this.allowed;
      const byPolicy = new Map<PolicyRef, PortsByCell>();
      for (const item of items) {
        if (item.effect !== effect) continue;
        const { policy } = item.rule.origin;
        const lost = byPolicy.get(policy) ?? new Uint32Array(open.length);
        byPolicy.set(policy, lost);
        for (const cell of item.cells) {
          const own = ports.intersect(item.ports, said[effect][cell]!);
          lost[cell] = ports.union(lost[cell]!, ports.intersect(own, against[cell]!));
        }
      }
      for (const [policy, lost] of byPolicy)
        this.tell(policy, effect === "Allow" ? "allows" : "denies", lost);
    }
    if (row.isolation.length === 0) return;
    // S1.2
    const lost = open.map((left, cell) =>
      this.lane.isExempt[cell] === 1 ? noPorts : ports.intersect(left, this.allowed[cell]!),
    );
    for (const { origin } of isolatingOf(layer.tier, row))
      if (origin.kind === "policy") this.tell(origin.policy, "isolates", lost);
  }

  private tell(policy: PolicyRef, intent: Intent, lost: PortsByCell): void {
    const { lane } = this;
    for (let cell = 0; cell < lost.length; cell++) {
      const ports = lost[cell]!;
      if (ports === noPorts || lane.pairs[cell] === 0) continue;
      const deciding = new Set<Rule>();
      this.takers.note(cell, ports, deciding);
      // The last comes first there.
      this.found.add(policy, intent, lane, cell, [...deciding].toReversed(), (rule) => {
        const taken = this.takers.takenBy(cell, rule);
        return spotIn(lane, cell, this.ports.intersect(ports, taken));
      });
    }
  }
}
