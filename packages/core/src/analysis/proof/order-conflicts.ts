import { getOrInsert } from "../../collections/maps.js";
import {
  type Denials,
  denialsFrom,
  type Engine,
  flowAt,
  type Lane,
  type LaneItem,
  type LaneReader,
  type LaneTier,
  noDenials,
  type PortsByCell,
  readLanes,
  realPorts,
  type Row,
  type WitnessCell,
  witnessIn,
  startLane,
  walkRules,
  walkTier,
} from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { evaluateDirection, type WalkVerdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Direction, PolicyRef, Tiers } from "../../policy/model.js";
import { swappedPolicies } from "../../policy/swapped-policies.js";
import { sharedPriorities, type SharedPriority } from "./shared-priorities.js";

/** Two policies of one priority, and a connection about which more than one thing can be said: it is their order that decides. */
export interface OrderConflict {
  readonly shared: SharedPriority;
  /** In the order of evaluation. */
  readonly first: PolicyRef;
  readonly second: PolicyRef;
  readonly direction: Direction;
  readonly example: () => ConflictExample;
}

export interface ConflictExample {
  readonly flow: Flow;
  readonly asOrdered: WalkVerdict;
  /** With the two policies in each other's place. */
  readonly swapped: WalkVerdict;
}

/** Every such pair, once. */
export function orderConflicts(engine: Engine): readonly OrderConflict[] {
  const found = new OrderConflicts(engine);
  readLanes(engine, [found]);
  return found.all();
}

/** Collects conflicts. Only what is certain: what depends on missing facts (S9.1) is not reported. */
export class OrderConflicts implements LaneReader {
  private readonly groups: ReadonlyMap<PolicyRef, SharedPriority>;
  private readonly witnesses = new Map<PolicyRef, Map<PolicyRef, WitnessCell>>();

  constructor(private readonly engine: Engine) {
    const shared = sharedPriorities(engine.tiers);
    this.groups = new Map(shared.flatMap((group) => group.policies.map((policy) => [policy, group])));
  }

  wants(rows: readonly Row[]): boolean {
    if (this.groups.size === 0) return false;
    return rows.some(({ rules }) => rules.some(({ origin }) => this.groups.has(origin.policy)));
  }

  read(lane: Lane): void {
    const report: Report = (first, second, witness) => {
      const others = getOrInsert(this.witnesses, first, () => new Map<PolicyRef, WitnessCell>());
      if (!others.has(second)) others.set(second, witness());
    };
    new LaneConflicts(lane, this.engine.ports, this.groups, report).find();
  }

  /** In the order of evaluation. */
  all(): readonly OrderConflict[] {
    return [...new Set(this.groups.values())].flatMap((shared) =>
      shared.policies.flatMap((first) => {
        const witnesses = this.witnesses.get(first);
        if (witnesses === undefined) return [];
        return shared.policies.flatMap((second) => {
          const witness = witnesses.get(second);
          if (witness === undefined) return [];
          const example = () => exampleAt(this.engine, witness, first, second);
          return { shared, first, second, direction: witness.direction, example };
        });
      }),
    );
  }
}

function exampleAt(
  { cluster, tiers }: Engine,
  witness: WitnessCell,
  first: PolicyRef,
  second: PolicyRef,
): ConflictExample {
  const { direction } = witness;
  const flow = flowAt(witness, cluster);
  const judge = (all: Tiers) => evaluateDirection(direction, cluster, all, flow);
  return { flow, asOrdered: judge(tiers), swapped: judge(swappedPolicies(tiers, first, second)) };
}

type Report = (first: PolicyRef, second: PolicyRef, witness: () => WitnessCell) => void;

/** What the rules of one policy would do if they came first of their priority. */
interface Wishes {
  readonly policy: PolicyRef;
  readonly Allow: PortsByCell;
  readonly Deny: PortsByCell;
  readonly Pass: PortsByCell;
  /** All of these, and what its rules may take. */
  readonly any: PortsByCell;
}

class LaneConflicts {
  private readonly all: PortSetId;

  constructor(
    private readonly lane: Lane,
    private readonly ports: PortSets,
    private readonly groups: ReadonlyMap<PolicyRef, SharedPriority>,
    private readonly report: Report,
  ) {
    this.all = realPorts(ports);
  }

  find(): void {
    const { lane, ports, all } = this;
    const behind: Denials[] = [];
    let denied = noDenials(lane);
    for (const tier of lane.tiers.toReversed()) {
      behind.unshift(denied);
      denied = denialsFrom(tier, lane, denied, ports, all);
    }
    const at = startLane(lane, lane.field.view.states.startWith(all));
    for (const [i, tier] of lane.tiers.entries()) this.walk(tier, at, behind[i]!);
  }

  /** Compares the policies of a priority where the walk reaches the first of their rules. */
  private walk(tier: LaneTier, at: Uint32Array, behind: Denials): void {
    const { states } = this.lane.field.view;
    const parts = new Map(byPriority(tier.items).map((part) => [part[0]!, part]));
    walkTier(tier, this.lane, states, at, {
      item: (item) => {
        const part = parts.get(item) ?? [];
        const [group] = part.flatMap(({ rule }) => this.groups.get(rule.origin.policy) ?? []);
        if (group === undefined) return;
        const open = at.map((state) => states.open(state).surely);
        this.compare(group, tier, part, open, behind);
      },
    });
  }

  /** Each policy against those behind it, where it is the first of the priority to match. */
  private compare(
    group: SharedPriority,
    tier: LaneTier,
    items: readonly LaneItem[],
    entering: PortsByCell,
    behind: Denials,
  ): void {
    const { ports, lane } = this;
    const policies = [...new Set(items.map(({ rule }) => rule.origin.policy))];
    if (policies.length < 2) return;
    const wishes = policies.map((policy) => this.wishesOf(policy, tier, items));
    for (let cell = 0; cell < lane.cells; cell++) {
      let open = lane.isSure[cell] === 1 ? entering[cell]! : noPorts;
      for (const [i, first] of wishes.entries()) {
        if (open === noPorts) break;
        for (const second of wishes.slice(i + 1)) {
          if (!group.policies.includes(first.policy) || !group.policies.includes(second.policy)) continue;
          if (first.any[cell] === noPorts || second.any[cell] === noPorts) continue;
          const disputed = ports.intersect(open, this.disputed(first, second, cell, behind));
          if (disputed !== noPorts)
            this.report(first.policy, second.policy, () => witnessIn(lane, cell, disputed));
        }
        open = ports.subtract(open, first.any[cell]!);
      }
    }
  }

  /** The walk past the rules of the policy alone, with every port open. */
  private wishesOf(policy: PolicyRef, tier: LaneTier, items: readonly LaneItem[]): Wishes {
    const { ports, lane, all } = this;
    const { states } = lane.field.view;
    const own = items.filter(({ rule }) => rule.origin.policy === policy);
    const Pass = new Uint32Array(lane.cells);
    const at = startLane(lane, states.startWith(all));
    walkRules({ ...tier, items: own }, states, at, {
      rule: ({ effect, cells, step }, i, state) => {
        const cell = cells[i]!;
        if (effect === "Pass") Pass[cell] = ports.union(Pass[cell]!, states.taken(state, step).surely);
      },
    });
    return {
      policy,
      Allow: at.map((state) => states.allowed(state)),
      Deny: at.map((state) => states.denied(state)),
      Pass,
      any: at.map((state) => ports.subtract(all, states.open(state).surely)),
    };
  }

  /** The ports of which the two want different verdicts. To pass is to want what the tiers behind say. */
  private disputed(a: Wishes, b: Wishes, cell: number, behind: Denials): PortSetId {
    const { ports } = this;
    const wants = ({ Allow, Deny, Pass }: Wishes) => ({
      allow: ports.union(Allow[cell]!, ports.subtract(Pass[cell]!, behind.perhaps[cell]!)),
      deny: ports.union(Deny[cell]!, ports.intersect(Pass[cell]!, behind.surely[cell]!)),
    });
    const [x, y] = [wants(a), wants(b)];
    return ports.union(ports.intersect(x.allow, y.deny), ports.intersect(x.deny, y.allow));
  }
}

/** Items one behind the other whose rules have the same priority, or none. */
function byPriority(items: readonly LaneItem[]): readonly (readonly LaneItem[])[] {
  const parts: LaneItem[][] = [];
  for (const item of items) {
    const last = parts.at(-1);
    if (last !== undefined && last[0]!.rule.origin.precedence === item.rule.origin.precedence)
      last.push(item);
    else parts.push([item]);
  }
  return parts;
}
