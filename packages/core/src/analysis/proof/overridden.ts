import { getOrInsert } from "../../collections/maps.js";
import {
  type CellStates,
  type Engine,
  isolatingOf,
  type Lane,
  type LaneReader,
  type LaneTier,
  type PortsByCell,
  readLanes,
  realPorts,
  type Row,
  witnessIn,
  startLane,
  TakenPorts,
  walkRules,
  walkTier,
} from "../../engine/index.js";
import { noPorts, type PortSets } from "../../sets/port-sets.js";
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

/** Collects overrides. Only what is certain: what depends on missing facts (S9.1) is not reported. */
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
    const hasRules = own !== undefined && (own.rules.length > 0 || own.isolation.length > 0);
    return hasRules && rows.slice(0, at).some(({ rules }) => rules.length > 0);
  }

  read(lane: Lane): void {
    new LaneOverrides(lane, this.local[lane.direction], this.engine.ports, this.found).find();
  }

  all(): readonly Override[] {
    return this.found.all();
  }
}

class LaneOverrides {
  private readonly states: CellStates;
  private readonly takers: TakenPorts<Rule>;
  /** After the tiers before. */
  private readonly before: Uint32Array;

  constructor(
    private readonly lane: Lane,
    private readonly local: number,
    private readonly ports: PortSets,
    private readonly found: OverrideCounts,
  ) {
    this.states = lane.field.view.states;
    this.takers = new TakenPorts(lane.cells, ports);
    this.before = this.start();
  }

  private start(): Uint32Array {
    return startLane(this.lane, this.states.startWith(realPorts(this.ports)));
  }

  find(): void {
    const { lane, states, takers } = this;
    for (const tier of lane.tiers.slice(0, this.local))
      walkTier(tier, lane, states, this.before, {
        rule: ({ rule, effect, cells, step }, i, state) => {
          if (effect === "Allow" || effect === "Deny")
            takers.add(cells[i]!, states.taken(state, step).surely, rule);
        },
      });
    this.compare(lane.tiers[this.local]!);
  }

  /** What the tier would decide if every port reached it, compared with what the tiers before decide. */
  private compare(tier: LaneTier): void {
    const { ports, states } = this;
    const { layer, row, items } = tier;
    const at = this.start();
    walkRules(tier, states, at);
    const said = {
      Allow: at.map((state) => states.allowed(state)),
      Deny: at.map((state) => states.denied(state)),
    };
    const allowed = this.before.map((state) => states.allowed(state));
    const denied = this.before.map((state) => states.denied(state));
    // All rules that match are overridden, whichever of them comes first.
    for (const effect of ["Allow", "Deny"] as const) {
      const against = effect === "Allow" ? denied : allowed;
      const byPolicy = new Map<PolicyRef, PortsByCell>();
      for (const item of items) {
        if (item.effect !== effect) continue;
        const { policy } = item.rule.origin;
        const lost = getOrInsert(byPolicy, policy, () => new Uint32Array(at.length));
        for (const cell of item.cells) {
          const own = ports.intersect(item.ports, said[effect][cell]!);
          lost[cell] = ports.union(lost[cell]!, ports.intersect(own, against[cell]!));
        }
      }
      for (const [policy, lost] of byPolicy)
        this.report(policy, effect === "Allow" ? "allows" : "denies", lost);
    }
    if (row.isolation.length === 0) return;
    // S1.2
    const lost = at.map((state, cell) =>
      this.lane.isExempt[cell] === 1 ? noPorts : ports.intersect(states.open(state).surely, allowed[cell]!),
    );
    for (const { origin } of isolatingOf(layer.tier, row))
      if (origin.kind === "policy") this.report(origin.policy, "isolates", lost);
  }

  private report(policy: PolicyRef, intent: Intent, lost: PortsByCell): void {
    const { lane } = this;
    for (let cell = 0; cell < lost.length; cell++) {
      const ports = lost[cell]!;
      if (ports === noPorts || lane.pairs[cell] === 0) continue;
      const deciding = new Set<Rule>();
      this.takers.note(cell, ports, deciding);
      // The last comes first there.
      this.found.add(policy, intent, lane, cell, [...deciding].toReversed(), (rule) => {
        const taken = this.takers.takenBy(cell, rule);
        return witnessIn(lane, cell, this.ports.intersect(ports, taken));
      });
    }
  }
}
