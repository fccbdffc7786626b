import type { CidrGroup } from "../../cluster/model.js";
import type { Direction, Isolation, Rule, Tier, TierName, Tiers } from "../../policy/model.js";
import { Encoding } from "../encode/index.js";
import { type Literal, not, Solver, TRUE } from "../sat/index.js";

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
export class RuleWalk {
  readonly encoding: Encoding;
  private readonly stages: readonly TierStage[];
  private readonly positions = new Map<Rule, { readonly stage: TierStage; readonly index: number }>();
  /** S7.8: rules that are also asked about a pod's own node, in order. */
  private readonly binding: readonly Rule[];
  /** Whether the tiers are walked at all: S1.6. */
  private readonly walked: Literal;
  /** Free: what later tiers might decide. */
  private readonly later: Literal;

  /** `owners`: whether namespace owners may write any policies, and whether Cilium's are among them (S11.2). */
  constructor(
    readonly direction: Direction,
    tiers: Tiers,
    cidrGroups: readonly CidrGroup[],
    owners: { readonly areFree: boolean; readonly haveCilium: boolean },
  ) {
    const none: Tiers = { ingress: [], egress: [] };
    // Most questions have a model.
    const solver = new Solver(undefined, undefined, false);
    this.encoding = new Encoding({ ...none, [direction]: tiers[direction] }, cidrGroups, solver);
    const { connection, walk } = this.encoding;
    for (const [act, literal] of Object.entries(connection.owners[direction]))
      if (!owners.areFree || (act === "deny" && !owners.haveCilium)) connection.formula.require(not(literal));
    this.later = connection.formula.variable();
    this.walked = direction === "ingress" ? not(connection.ownNode) : TRUE;
    this.binding = tiers.ingress.flatMap(({ rules }) =>
      direction === "ingress" ? rules.filter(({ bindsOwnNode }) => bindsOwnNode) : [],
    );
    const mayHaveConditions = owners.areFree && owners.haveCilium;
    const stages = walk
      .tiersOf(direction)
      .map((tier) => new TierStage(tier, direction, this.encoding, mayHaveConditions));
    let enters: Literal = this.walked;
    for (const stage of stages) enters = stage.enter(enters);
    let next: Literal = TRUE;
    for (const stage of stages.toReversed()) next = stage.follow(next);
    this.stages = stages;
    for (const stage of stages)
      for (const [index, rule] of stage.tier.rules.entries()) this.positions.set(rule, { stage, index });
  }

  has(rule: Rule): boolean {
    return this.positions.has(rule);
  }

  tierOf(rule: Rule): TierName {
    return this.positions.get(rule)!.stage.tier.name;
  }

  stageOf(name: TierName): TierStage | undefined {
    return this.stages.find(({ tier }) => tier.name === name);
  }

  /** The rule matches a connection for which it can be asked. */
  matches(rule: Rule): Literal {
    const { stage, index } = this.positions.get(rule)!;
    const asked = rule.bindsOwnNode === true ? TRUE : this.walked;
    return this.and([asked, stage.matches[index]!]);
  }

  /** The rule would decide if no tier came before its own. */
  decidesInTier(rule: Rule): Literal {
    const { stage, index } = this.positions.get(rule)!;
    const first = this.and([this.walked, stage.before[index]!, stage.matches[index]!]);
    return this.or([first, ...this.ownNodeCases(rule, (other) => stage.tier.rules.includes(other))]);
  }

  decides(rule: Rule): Literal {
    const { stage, index } = this.positions.get(rule)!;
    return this.or([stage.decides(index), ...this.ownNodeCases(rule, () => true)]);
  }

  /** Without the rule, the verdict would be another. */
  needed(rule: Rule): Literal {
    return this.neededBefore(rule, undefined);
  }

  /** The same, whatever later tiers decide. */
  neededInTier(rule: Rule): Literal {
    return this.neededBefore(rule, this.later);
  }

  private neededBefore(rule: Rule, later: Literal | undefined): Literal {
    const { stage, index } = this.positions.get(rule)!;
    const { connection } = this.encoding;
    // S7.7: each rule that allows takes part in the conditions of the others, wherever it is among them.
    if (rule.action === "Allow" && stage.isConditional)
      return this.and([stage.enters, stage.matches[index]!]);
    const changes = this.and([stage.decides(index), stage.changes(index, later)]);
    const others = this.binding.filter((other) => other !== rule).map((other) => this.matchesOf(other));
    const denied = [...others, connection.owners.ingress.deny];
    const ofOwnNode =
      rule.bindsOwnNode === true
        ? [this.and([connection.ownNode, stage.matches[index]!, ...denied.map(not)])]
        : [];
    return this.or([changes, ...ofOwnNode]);
  }

  /** S7.8: what a rule decides about a pod's own node: the first that matches there does. */
  private ownNodeCases(rule: Rule, counts: (other: Rule) => boolean): readonly Literal[] {
    if (rule.bindsOwnNode !== true) return [];
    const earlier = this.binding.slice(0, this.binding.indexOf(rule)).filter(counts);
    const { ownNode } = this.encoding.connection;
    return [this.and([ownNode, this.matchesOf(rule), ...earlier.map((other) => not(this.matchesOf(other)))])];
  }

  private matchesOf(rule: Rule): Literal {
    const { stage, index } = this.positions.get(rule)!;
    return stage.matches[index]!;
  }

  /** What can be switched off: rules and isolations, in the order of evaluation. */
  get parts(): readonly (Rule | Isolation)[] {
    return this.stages.flatMap(({ tier }) => [...tier.rules, ...tier.isolation]);
  }

  private and(literals: readonly Literal[]): Literal {
    return this.encoding.connection.formula.and(literals);
  }

  private or(literals: readonly Literal[]): Literal {
    return this.encoding.connection.formula.or(literals);
  }
}

/** One tier of a walk. */
export class TierStage {
  readonly matches: readonly Literal[];
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
    private readonly direction: Direction,
    private readonly encoding: Encoding,
    ownersMayWriteConditions: boolean,
  ) {
    const { walk, connection } = encoding;
    const { formula } = connection;
    this.matches = tier.rules.map((rule) => walk.matches(rule, direction));
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
    const { formula } = this.encoding.connection;
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
    const { formula } = this.encoding.connection;
    const first = this.allowsFrom(0, next);
    return this.owners === undefined ? first : formula.and([not(this.owners.deny), first]);
  }

  decides(index: number): Literal {
    return this.encoding.connection.formula.and([this.enters, this.before[index]!, this.matches[index]!]);
  }

  /** What a rule that matches makes of the connection. */
  effect(index: number, next = this.next): Literal {
    return this.encoding.walk.effectOf(this.tier.rules[index]!, this.direction, next, TRUE);
  }

  /** Whether the rules after this one decide otherwise than it does. */
  changes(index: number, next = this.next): Literal {
    const [effect, rest] = [this.effect(index, next), this.allowsFrom(index + 1, next)];
    return this.encoding.connection.formula.choose(effect, not(rest), rest);
  }

  /** Whether the rules from this one on allow. */
  private allowsFrom(index: number, next: Literal): Literal {
    const known = this.after.get(next) ?? this.allowsFromEach(next);
    this.after.set(next, known);
    return known[index]!;
  }

  private allowsFromEach(next: Literal): readonly Literal[] {
    const { formula } = this.encoding.connection;
    const last = formula.and([not(this.ends), next]);
    const found = [this.owners === undefined ? last : formula.or([this.owners.allow, last])];
    for (let i = this.tier.rules.length - 1; i >= 0; i--)
      found.push(formula.choose(this.matches[i]!, this.effect(i, next), found.at(-1)!));
    return found.toReversed();
  }

  /** Owners write policies of this tier, if they do. */
  private get owners() {
    const { connection } = this.encoding;
    return this.tier.name === "network-policy" ? connection.owners[this.direction] : undefined;
  }
}
