import type { CidrGroup } from "../../cluster/model.js";
import type { Direction, Isolation, Rule, Tier, TierName, Tiers } from "../../policy/model.js";
import { Connection, EncodedWalk, Formula, Matching, type Models } from "../encode/index.js";
import { type Answer, type Budget, type Literal, not, Solver, TRUE } from "../sat/index.js";

/*
 * One direction of the walk, rule by rule. For each rule of a tier, in the order of evaluation:
 *
 *   enters ──► before(0) ─► matches(0) ─► before(1) ─► matches(1) ─► … ──► isolated, or the next tier
 *              no earlier rule of the tier matches
 *
 *              allowsAfter(0) ◄──────── allowsAfter(1) ◄──────── … ◄────── what the end of the tier and later tiers decide
 *
 * A rule decides a connection if it enters the tier, no earlier rule matches it and this one does. The rule is needed if the
 * verdict after it, without it, would be another.
 */
export class RuleWalk implements Models {
  readonly connection: Connection;
  /** Off, a rule or an isolation is as if it were not there. */
  readonly switches: ReadonlyMap<Rule | Isolation, Literal>;
  /** All of them are on. */
  readonly asWritten: Literal;
  private readonly matching: Matching;
  private readonly walk: EncodedWalk;
  private readonly stages: TierStage[] = [];
  private readonly positions = new Map<Rule, { readonly stage: TierStage; readonly index: number }>();
  /** S7.8: rules that are also asked about a pod's own node, in order. */
  private readonly binding: readonly Rule[];
  /** Whether the tiers are walked at all: S1.6. */
  private readonly walked: Literal;
  /** Free: what later tiers might decide. */
  private readonly later: Literal;

  private constructor(
    readonly direction: Direction,
    tiers: Tiers,
    cidrGroups: readonly CidrGroup[],
    private readonly owners: OwnersMay,
  ) {
    // Most questions have a model.
    const formula = new Formula(new Solver(undefined, undefined, false));
    this.connection = new Connection(formula);
    this.matching = new Matching(this.connection, cidrGroups);
    this.asWritten = formula.variable();
    this.walk = new EncodedWalk(this.matching, tiers, { asWritten: this.asWritten });
    this.switches = this.walk.switches;
    this.later = formula.variable();
    this.walked = direction === "ingress" ? not(this.connection.ownNode) : TRUE;
    this.binding = tiers.ingress.flatMap(({ rules }) =>
      direction === "ingress" ? rules.filter(({ bindsOwnNode }) => bindsOwnNode) : [],
    );
  }

  /** Interrupted now and then: thousands of rules take a second. */
  static *build(
    direction: Direction,
    tiers: Tiers,
    cidrGroups: readonly CidrGroup[],
    owners: OwnersMay,
  ): Generator<void, RuleWalk> {
    const made = new RuleWalk(direction, tiers, cidrGroups, owners);
    yield* made.build();
    return made;
  }

  private *build(): Generator<void> {
    const { connection, walk, direction, owners, stages } = this;
    const { formula } = connection;
    for (const [act, literal] of Object.entries(connection.owners[direction]))
      if (!owners.writeAnything || (act === "deny" && !owners.haveCilium)) formula.require(not(literal));
    const mayHaveConditions = owners.writeAnything && owners.haveCilium;
    for (const tier of walk.tiersOf(direction)) {
      const matches: Literal[] = [];
      for (const rule of tier.rules)
        if (matches.push(walk.matches(rule, direction)) % rulesPerStep === 0) yield;
      stages.push(new TierStage(tier, matches, direction, walk, connection, mayHaveConditions));
      yield;
    }
    let enters: Literal = this.walked;
    for (const stage of stages) enters = stage.enter(enters);
    let next: Literal = TRUE;
    for (const stage of stages.toReversed()) {
      next = stage.follow(next);
      yield;
    }
    for (const stage of stages)
      for (const [index, rule] of stage.tier.rules.entries()) this.positions.set(rule, { stage, index });
  }

  get solver(): Solver {
    return this.connection.formula.solver;
  }

  solve(assumptions: readonly Literal[], budget?: Budget): Answer {
    return this.connection.solve(assumptions, budget);
  }

  stageOf(name: TierName): TierStage | undefined {
    return this.stages.find(({ tier }) => tier.name === name);
  }

  /** The rule would decide if no tier came before its own. Each of these is a conjunction: a gate for each rule would cost more. */
  decidesInTier(rule: Rule): Conjunction {
    const { stage, index } = this.positions.get(rule)!;
    const first = [this.walked, stage.before[index]!, stage.matches[index]!];
    return this.orOfOwnNode(first, rule, (other) => stage.tier.rules.includes(other));
  }

  /** Both match one connection, whichever rule decides it. */
  bothMatch(first: Rule, second: Rule): Conjunction {
    const matches = [first, second].map((rule) => {
      const { stage, index } = this.positions.get(rule)!;
      return stage.matches[index]!;
    });
    return [this.walked, ...matches];
  }

  decides(rule: Rule): Conjunction {
    const { stage, index } = this.positions.get(rule)!;
    return this.orOfOwnNode(stage.decides(index), rule, () => true);
  }

  /** Without the rule, the verdict would be another. */
  needed(rule: Rule): Conjunction {
    return this.neededBefore(rule, undefined);
  }

  /** The same, whatever later tiers decide. */
  neededInTier(rule: Rule): Conjunction {
    return this.neededBefore(rule, this.later);
  }

  private neededBefore(rule: Rule, later: Literal | undefined): Conjunction {
    const { stage, index } = this.positions.get(rule)!;
    const { connection } = this;
    // S7.7: each rule that allows takes part in the conditions of the others, wherever it is among them.
    if (rule.action === "Allow" && stage.isConditional) return [stage.enters, stage.matches[index]!];
    const changes = [...stage.decides(index), stage.changes(index, later)];
    if (rule.bindsOwnNode !== true) return changes;
    const others = this.binding.filter((other) => other !== rule).map((other) => this.matchesOf(other));
    const denied = [...others, connection.owners.ingress.deny];
    return this.either(changes, [connection.ownNode, stage.matches[index]!, ...denied.map(not)]);
  }

  /** S7.8: what a rule decides about a pod's own node, too: there, the first rule that binds it and matches decides. */
  private orOfOwnNode(walked: Conjunction, rule: Rule, counts: (other: Rule) => boolean): Conjunction {
    if (rule.bindsOwnNode !== true) return walked;
    const earlier = this.binding.slice(0, this.binding.indexOf(rule)).filter(counts);
    const before = earlier.map((other) => not(this.matchesOf(other)));
    return this.either(walked, [this.connection.ownNode, this.matchesOf(rule), ...before]);
  }

  private either(a: Conjunction, b: Conjunction): Conjunction {
    const { formula } = this.connection;
    return [formula.or([formula.and(a), formula.and(b)])];
  }

  private matchesOf(rule: Rule): Literal {
    const { stage, index } = this.positions.get(rule)!;
    return stage.matches[index]!;
  }

  /** What can be switched off: rules and isolations, in the order of evaluation. */
  get parts(): readonly (Rule | Isolation)[] {
    return this.stages.flatMap(({ tier }) => [...tier.rules, ...tier.isolation]);
  }
}

/** All of them hold. */
export type Conjunction = readonly Literal[];

/** What namespace owners may do to their policies (S11.2), and whether Cilium's are among them. */
interface OwnersMay {
  readonly writeAnything: boolean;
  readonly haveCilium: boolean;
}

const rulesPerStep = 50;

/** One tier of a walk. */
export class TierStage {
  /** By rule: no earlier rule of the tier matches. One more than there are rules. */
  readonly before: readonly Literal[];
  readonly isConditional: boolean;
  enters: Literal = TRUE;
  private next: Literal = TRUE;
  /** By what later tiers decide: by rule, what is decided after it. */
  private readonly after = new Map<Literal, readonly Literal[]>();
  private readonly ends: Literal;

  constructor(
    readonly tier: Tier,
    readonly matches: readonly Literal[],
    private readonly direction: Direction,
    private readonly walk: EncodedWalk,
    private readonly connection: Connection,
    ownersMayWriteConditions: boolean,
  ) {
    const { formula } = connection;
    const before: Literal[] = [TRUE];
    for (const match of this.matches) before.push(formula.and([before.at(-1)!, not(match)]));
    this.before = before;
    this.ends = walk.isIsolated(tier, direction);
    this.isConditional =
      (ownersMayWriteConditions && tier.name === "network-policy") ||
      tier.rules.some(({ condition }) => condition !== undefined);
  }

  /** Whether a connection is left to the tiers after this one. */
  enter(enters: Literal): Literal {
    const { formula } = this.connection;
    const { owners } = this;
    this.enters = owners === undefined ? enters : formula.and([enters, not(owners.deny)]);
    const passed = this.tier.rules.flatMap(({ action }, i) =>
      action === "Pass" ? [formula.and([this.before[i]!, this.matches[i]!])] : [],
    );
    const ended = formula.and([this.before.at(-1)!, not(this.ends)]);
    return formula.and([this.enters, formula.or([...passed, ended])]);
  }

  /** Whether a connection that comes to this tier is allowed, by it or by what follows. */
  follow(next: Literal): Literal {
    this.next = next;
    const { formula } = this.connection;
    const first = this.allowsFrom(0, next);
    return this.owners === undefined ? first : formula.and([not(this.owners.deny), first]);
  }

  decides(index: number): Conjunction {
    return [this.enters, this.before[index]!, this.matches[index]!];
  }

  /** What a rule that matches makes of the connection. */
  effect(index: number, next = this.next): Literal {
    return this.walk.effectOf(this.tier.rules[index]!, this.direction, next, TRUE);
  }

  /** Whether the rules after this one decide otherwise than it does. */
  changes(index: number, next = this.next): Literal {
    const [effect, rest] = [this.effect(index, next), this.allowsFrom(index + 1, next)];
    return this.connection.formula.choose(effect, not(rest), rest);
  }

  /** Whether the rules from this one on allow. */
  private allowsFrom(index: number, next: Literal): Literal {
    const known = this.after.get(next) ?? this.allowsFromEach(next);
    this.after.set(next, known);
    return known[index]!;
  }

  private allowsFromEach(next: Literal): readonly Literal[] {
    const { formula } = this.connection;
    const last = formula.and([not(this.ends), next]);
    const found = [this.owners === undefined ? last : formula.or([this.owners.allow, last])];
    for (let i = this.tier.rules.length - 1; i >= 0; i--)
      found.push(formula.choose(this.matches[i]!, this.effect(i, next), found.at(-1)!));
    return found.toReversed();
  }

  /** Owners write policies of this tier, if they do. */
  private get owners() {
    return this.tier.name === "network-policy" ? this.connection.owners[this.direction] : undefined;
  }
}
