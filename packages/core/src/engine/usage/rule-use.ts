import type { Direction, Isolation, Rule, TierName, Tiers } from "../../policy/model.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import { realPorts } from "../change/translation.js";
import type { Taken } from "../walk/cell-states.js";
import { startLane, walkTier } from "./lane-walk.js";
import type { Lane, LaneItem, LaneReader } from "./lanes.js";

/** How much a rule, isolation or the default decides: the ports that are still open when its turn comes. */
export interface Use {
  readonly direction: Direction;
  /** Undefined for what no tier decides. */
  readonly tier: TierName | undefined;
  readonly by:
    | { readonly kind: "rule"; readonly rule: Rule }
    | { readonly kind: "isolation"; readonly isolation: Isolation }
    | { readonly kind: "default" | "own-node" };
  /**
   * Ordered pairs of pods and hosts of which it decides at least one port, in each address family by itself. A rule that
   * passes decides what it keeps from the rules behind it.
   */
  readonly pairs: number;
  /** Pairs of which it may do so, if missing facts are so. */
  readonly possibly: number;
  /** Whether it does so for some pod and some external address. */
  readonly external: "surely" | "possibly" | "never";
}

type Count = { -readonly [K in keyof Use]: Use[K] };

/** Counts what every rule decides, lane by lane. */
export class RuleUses implements LaneReader {
  private readonly counts = new Map<unknown, Count>();
  private readonly rest: Readonly<Record<Direction, Readonly<Record<"default" | "own-node", Count>>>>;

  constructor(tiers: Tiers) {
    const nothing = { pairs: 0, possibly: 0, external: "never" } as const;
    const undecided = (direction: Direction, kind: "default" | "own-node"): Count => ({
      ...nothing,
      direction,
      tier: undefined,
      by: { kind },
    });
    const restOf = (direction: Direction) => ({
      default: undecided(direction, "default"),
      "own-node": undecided(direction, "own-node"),
    });
    this.rest = { egress: restOf("egress"), ingress: restOf("ingress") };
    for (const direction of ["egress", "ingress"] as const)
      for (const { name: tier, rules, isolation } of tiers[direction]) {
        for (const rule of rules)
          this.counts.set(rule, { ...nothing, direction, tier, by: { kind: "rule", rule } });
        for (const entry of isolation)
          this.counts.set(entry, {
            ...nothing,
            direction,
            tier,
            by: { kind: "isolation", isolation: entry },
          });
      }
  }

  all(): readonly Use[] {
    const { egress, ingress } = this.rest;
    return [...this.counts.values(), egress.default, ingress.default, ingress["own-node"]];
  }

  wants(): boolean {
    return true;
  }

  read(lane: Lane): void {
    const { states } = lane.field.view;
    const at = startLane(lane, states.startWith(realPorts(states.outcomes.ports)));
    for (const tier of lane.tiers) {
      const isolated = new Credit(lane);
      let ruled: { readonly item: LaneItem; readonly credit: Credit } | undefined;
      const finishRule = () => ruled?.credit.addTo(this.counts.get(ruled.item.rule)!);
      walkTier(tier, lane, states, at, {
        item: (item) => {
          if (ruled?.item.rule === item.rule) return;
          finishRule();
          ruled = { item, credit: new Credit(lane) };
        },
        rule: ({ cells, step }, i, state) => ruled!.credit.add(cells[i]!, states.taken(state, step)),
        isolation: (cell, state) => isolated.add(cell, states.open(state)),
      });
      finishRule();
      for (const entry of tier.row.isolation) isolated.addTo(this.counts.get(entry)!);
    }
    const left = { default: new Credit(lane), "own-node": new Credit(lane) };
    for (let cell = 0; cell < at.length; cell++)
      left[lane.isExempt[cell] === 1 ? "own-node" : "default"].add(cell, states.open(at[cell]!));
    for (const kind of ["default", "own-node"] as const) left[kind].addTo(this.rest[lane.direction][kind]);
  }
}

/** The cells of a lane of which one decider decides some port: surely, or perhaps. */
class Credit {
  private readonly cells = new Map<number, "surely" | "perhaps">();

  constructor(private readonly lane: Lane) {}

  add(cell: number, { surely, perhaps }: Taken): void {
    const isSome = (ports: PortSetId) => ports !== noPorts;
    if (isSome(surely)) this.cells.set(cell, "surely");
    else if (isSome(perhaps) && !this.cells.has(cell)) this.cells.set(cell, "perhaps");
  }

  addTo(count: Count): void {
    const { cells } = this;
    if (cells.size === 0) return;
    let [pairs, possibly] = [0, 0];
    for (const [cell, how] of cells)
      if (how === "surely") pairs += this.lane.pairs[cell]!;
      else possibly += this.lane.pairs[cell]!;
    // Wherever the pod runs, it meets one of the two.
    for (const unplaced of this.lane.unplaced)
      if (unplaced.cells.every((cell) => cells.get(cell) === "surely")) pairs += unplaced.pairs;
      else if (unplaced.cells.some((cell) => cells.has(cell))) possibly += unplaced.pairs;
    if (this.lane.field.kind === "inside") {
      count.pairs += pairs;
      count.possibly += possibly;
    } else if (pairs > 0) count.external = "surely";
    else if (count.external === "never" && possibly > 0) count.external = "possibly";
  }
}
