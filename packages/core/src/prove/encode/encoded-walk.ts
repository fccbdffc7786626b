import {
  type Direction,
  type Isolation,
  type Rule,
  type Tier,
  tierNames,
  type Tiers,
} from "../../policy/model.js";
import { FALSE, type Literal, not, TRUE } from "../sat/index.js";
import { pairContent } from "./content.js";
import { endOf } from "./label-pair.js";
import type { Matching } from "./match.js";
import type { OwnerRules } from "./owner-rules.js";

/*
 * evaluate/walk.ts as literals. Each tier is read from its end to its beginning, where `next` is what later tiers decide:
 *
 *   end of the tier        isolated ? Deny : next
 *   a rule before that     matches ? its action : what the rest of the tier decides       (Pass: next)
 *
 * Each rule and each isolation has a switch. Off, it is as if it were not there. A proof that needs a switch on rests on it.
 * A walk without switches is smaller, and two of them share what they have in common.
 */
export class EncodedWalk {
  readonly switches = new Map<Rule | Isolation, Literal>();
  private readonly conditional = new Map<Tier, Literal>();

  constructor(
    private readonly matching: Matching,
    private readonly tiers: Tiers,
    private readonly options: WalkOptions = {},
  ) {}

  /** Whether a direction allows the connection. */
  allows(direction: Direction): Literal {
    return completed(this.steps(direction, "allows"));
  }

  /** Whether a direction allows it under a condition (S7.7). */
  allowsConditionally(direction: Direction): Literal {
    return this.isPlain(direction) ? FALSE : completed(this.steps(direction, "allows conditionally"));
  }

  /** Whether no rule of a direction has a condition. */
  isPlain(direction: Direction): boolean {
    return this.tiers[direction].every(({ rules }) =>
      rules.every(({ condition }) => condition === undefined),
    );
  }

  /** One of the two, interrupted where another walk can be compared with it. */
  *steps(direction: Direction, what: "allows" | "allows conditionally"): Steps {
    const { connection } = this.matching;
    const { formula } = connection;
    // `byDefault` where nothing denies; `allowed` where a rule of a tier allows.
    const byDefault = what === "allows" ? TRUE : FALSE;
    const allowedIn = (tier: Tier) => (what === "allows" ? TRUE : this.conditions(tier, direction));
    let next: Literal = byDefault;
    for (const tier of this.tiersOf(direction).toReversed())
      next = yield* this.walkTier(tier, direction, next, allowedIn(tier));
    if (direction === "ingress") {
      const isAllowed = yield this.ownNodeIsAllowed();
      next = formula.choose(connection.ownNode, formula.and([byDefault, isAllowed]), next);
    }
    // S1.4: nodes, external addresses and host-network pods have no walk.
    return formula.choose(connection.is(endOf(direction), "pod"), next, byDefault);
  }

  /** What rules in a row decide, where `rest` is what follows behind them. */
  walkRules(
    rules: readonly Rule[],
    direction: Direction,
    { next, allowed, rest }: { readonly next: Literal; readonly allowed: Literal; readonly rest: Literal },
  ): Literal {
    const { formula } = this.matching.connection;
    const effectOf = (rule: Rule) => this.effectOf(rule, direction, next, allowed);
    const subject = endOf(direction);
    let decided = rest;
    // Rules of one effect in a row are one gate.
    let run: { readonly effect: Literal; readonly matches: Literal[] } | undefined;
    const endRun = (): void => {
      if (run !== undefined) decided = formula.choose(formula.or(run.matches), run.effect, decided);
      run = undefined;
    };
    for (let last = rules.length; last > 0; ) {
      // Rules of one policy have one subject: what they match is encoded without it, and often the same for many policies.
      const selected = this.matching.isSubject(rules[last - 1]!.subject, subject);
      let first = last - 1;
      while (first > 0 && this.matching.isSubject(rules[first - 1]!.subject, subject) === selected) first--;
      const block = rules.slice(first, last);
      const effect = effectOf(block[0]!);
      last = first;
      if (block.every((rule) => effectOf(rule) === effect)) {
        if (run?.effect !== effect) endRun();
        run ??= { effect, matches: [] };
        const matches = block.map((rule) => this.matchesOther(rule, direction));
        run.matches.push(formula.and([selected, formula.or(matches)]));
        continue;
      }
      endRun();
      let inBlock = decided;
      for (const rule of block.toReversed())
        inBlock = formula.choose(this.matchesOther(rule, direction), effectOf(rule), inBlock);
      decided = formula.choose(selected, inBlock, decided);
    }
    endRun();
    return decided;
  }

  /** Whether one of the rules that bind a pod's own node matches. */
  bindingMatch(rules: readonly Rule[]): Literal {
    const binding = rules.filter(({ bindsOwnNode }) => bindsOwnNode);
    return this.matching.connection.formula.or(binding.map((rule) => this.matches(rule, "ingress")));
  }

  /** Owners may write policies where there are none yet. */
  tiersOf(direction: Direction): readonly Tier[] {
    const tiers = this.tiers[direction];
    if (tiers.some(({ name }) => name === "network-policy")) return tiers;
    const place = tierNames.indexOf("network-policy");
    const before = tiers.filter(({ name }) => tierNames.indexOf(name) < place).length;
    return tiers.toSpliced(before, 0, noPolicies);
  }

  private segmentsOf(tier: Tier): readonly (readonly Rule[])[] {
    return this.options.segments?.get(tier) ?? [tier.rules];
  }

  private *walkTier(tier: Tier, direction: Direction, next: Literal, allowed: Literal): Steps {
    const { connection } = this.matching;
    const { formula } = connection;
    const owners = tier.name === "network-policy" ? connection.owners[direction] : undefined;
    const isolated = yield this.isIsolated(tier, direction);
    let rest = formula.and([not(isolated), next]);
    // An owner's NetworkPolicy is among the rules that allow, which come last (S7.1).
    if (owners !== undefined) rest = formula.choose(owners.allow, allowed, rest);
    for (const rules of this.segmentsOf(tier).toReversed())
      rest = yield this.walkRules(rules, direction, { next, allowed, rest });
    if (owners === undefined) return rest;
    const byGroup = this.options.ownerRules?.denies(direction, this.matching) ?? FALSE;
    return formula.and([not(owners.deny), not(byGroup), rest]);
  }

  /** What a rule that matches makes of the connection. */
  effectOf(rule: Rule, direction: Direction, next: Literal, allowed: Literal): Literal {
    const { connection } = this.matching;
    if (rule.condition?.kind === "foreign") {
      // S9.3
      const [decides, allows] = ["decides", "allows"].map((what) =>
        connection.fact(`foreign ${direction} ${what}`),
      );
      return connection.formula.choose(decides!, connection.formula.and([allows!, allowed]), next);
    }
    if (rule.action === "Pass") return next;
    if (rule.action === "Deny") return FALSE;
    // S7.7
    return rule.condition?.kind === "authentication"
      ? connection.formula.and([connection.fact("authentication"), allowed])
      : allowed;
  }

  /** Off, a rule matches nothing. */
  matches(rule: Rule, direction: Direction): Literal {
    const selected = this.matching.isSubject(rule.subject, endOf(direction));
    return this.matching.connection.formula.and([selected, ...this.othersMatch(rule, direction)]);
  }

  private matchesOther(rule: Rule, direction: Direction): Literal {
    return this.matching.connection.formula.and(this.othersMatch(rule, direction));
  }

  /** Ports and peers, whatever the subject is. */
  private othersMatch(rule: Rule, direction: Direction): readonly Literal[] {
    return [
      this.matching.portsMatch(rule.ports),
      this.matching.anyPeerMatches(rule.peers, endOf(direction)),
      this.switchOf(rule),
    ];
  }

  isIsolated(tier: Tier, direction: Direction): Literal {
    const { connection } = this.matching;
    const written = tier.isolation.map((isolation) =>
      connection.formula.and([
        this.matching.isSubject(isolation.subject, endOf(direction)),
        this.switchOf(isolation),
      ]),
    );
    // S2.1: an owner's policy that allows something isolates as well.
    const { isolate, allow } = connection.owners[direction];
    return connection.formula.or([...written, ...(tier.name === "network-policy" ? [isolate, allow] : [])]);
  }

  /** S1.6, S7.8 */
  private ownNodeIsAllowed(): Literal {
    const { connection } = this.matching;
    const rules = this.tiers.ingress.flatMap((tier) => this.segmentsOf(tier).flat());
    return not(connection.formula.or([this.bindingMatch(rules), connection.owners.ingress.deny]));
  }

  /** S7.7: whether an Allow of this tier is conditional, whichever of its rules was met first. */
  private conditions(tier: Tier, direction: Direction): Literal {
    const known = this.conditional.get(tier);
    if (known !== undefined) return known;
    const { formula } = this.matching.connection;
    const plain = plainAllows(tier);
    const isolated = this.isIsolated(tier, direction);
    const conditions = tier.rules.flatMap((rule): Literal[] => {
      if (rule.action !== "Allow") return [];
      if (rule.condition?.kind === "always") return [this.matches(rule, direction)];
      if (rule.condition?.kind !== "l7") return [];
      return [
        formula.and([this.matches(rule, direction), isolated, not(this.isWaived(rule, plain, direction))]),
      ];
    });
    const found = formula.or(conditions);
    this.conditional.set(tier, found);
    return found;
  }

  /** Whether each of its peers and ports that match is plainly allowed just so elsewhere. */
  private isWaived(rule: Rule, plain: ReadonlyMap<string, readonly Rule[]>, direction: Direction): Literal {
    const { matching } = this;
    const { formula } = matching.connection;
    const subject = endOf(direction);
    const ports = rule.ports === "every" ? (["every"] as const) : rule.ports;
    return formula.and(
      rule.peers.flatMap((peer) =>
        ports.map((port) => {
          const matches = [
            matching.peerMatches(peer, subject),
            port === "every" ? TRUE : matching.portMatches(port),
          ];
          const alike = (plain.get(pairContent(peer, port)) ?? []).map((other) =>
            formula.and([matching.isSubject(other.subject, subject), this.switchOf(other)]),
          );
          const added = this.options.ownerRules?.allows(direction, peer, port, matching) ?? FALSE;
          return formula.or([...matches.map(not), ...alike, added]);
        }),
      ),
    );
  }

  private switchOf(part: Rule | Isolation): Literal {
    const { asWritten } = this.options;
    if (asWritten === undefined) return TRUE;
    const known = this.switches.get(part);
    if (known !== undefined) return known;
    const literal = this.matching.connection.formula.impliedBy(asWritten);
    this.switches.set(part, literal);
    return literal;
  }
}

/** Gives out what was decided so far, and is given what to go on with: the same, or something that is proven equal to it. */
export type Steps = Generator<Literal, Literal, Literal>;

export interface WalkOptions {
  /** Where this holds, all rules and isolations are on. Without it they have no switches. */
  readonly asWritten?: Literal;
  /** Where the rules of a tier can be interrupted. */
  readonly segments?: ReadonlyMap<Tier, readonly (readonly Rule[])[]>;
  /** What owners may add that does not do the same to another walk. */
  readonly ownerRules?: OwnerRules;
}

function completed(steps: Steps): Literal {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

/** Rules that allow without a condition, by each pair of a peer and a port that they name. */
function plainAllows({ rules }: Tier): ReadonlyMap<string, readonly Rule[]> {
  const found = new Map<string, Rule[]>();
  for (const rule of rules)
    if (rule.action === "Allow" && rule.condition === undefined)
      for (const peer of rule.peers)
        for (const port of rule.ports === "every" ? (["every"] as const) : rule.ports) {
          const name = pairContent(peer, port);
          found.set(name, [...(found.get(name) ?? []), rule]);
        }
  return found;
}

const noPolicies: Tier = { name: "network-policy", rules: [], isolation: [] };
