import { type Engine, flowAt, readLanes, type RuleNeed, RuleNeeds, type Spot } from "../../engine/index.js";
import { evaluateDirection } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Decision } from "../../evaluate/walk.js";
import { namespaceNameLabel } from "../../labels/requirement.js";
import { isSatisfiable } from "../../labels/satisfiable.js";
import type { Isolation, Rule, Tier, TierName } from "../../policy/model.js";
import { withoutRule } from "../../policy/without-rule.js";
import { canMeet } from "../../policy/can-meet.js";
import { coversRule } from "./covers.js";

/** What can be proven about a rule: taking it out changes no verdict, and why. Undefined for rules that are needed. */
export type RuleProof = { readonly rule: Rule; readonly tier: TierName } & (
  | {
      /** Earlier rules of its tier take all that it speaks of. */
      readonly kind: "shadowed";
      /** Those that take some of it in this cluster. */
      readonly by: readonly Rule[];
      /** One that takes all of it whatever is deployed. */
      readonly always?: Rule;
    }
  | {
      /** What it speaks of is decided in tiers before its own, all or the part that its own tier leaves. */
      readonly kind: "unreached";
      readonly by: readonly (Rule | Isolation)[];
      readonly always?: Rule;
    }
  | {
      /** It decides something, and without it the same would be said. */
      readonly kind: "redundant";
      /** Whether its own tier says the same, or other tiers do, whose policies may be somebody else's. */
      readonly because: "its tier" | "other tiers";
      readonly example: () => Replacement;
    }
);

/** A connection that a rule decides, and who would decide it in its place. */
export interface Replacement {
  readonly flow: Flow;
  readonly instead: Decision;
}

/** All that is proven, rules in the order of evaluation. Rules that speak of nobody here are proven only for always. */
export function ruleProofs(engine: Engine, { all: needs } = needsIn(engine)): readonly RuleProof[] {
  const found: RuleProof[] = [];
  for (const direction of ["ingress", "egress"] as const) {
    const earlier = new EarlierRules(engine.tiers[direction]);
    for (const { name: tier, rules } of engine.tiers[direction])
      for (const rule of rules) {
        const need = needs.get(rule)!;
        const proof = need.needed ? undefined : proofOf(engine, rule, tier, need, earlier);
        if (proof !== undefined) found.push(proof);
      }
  }
  return found;
}

function needsIn(engine: Engine): RuleNeeds {
  const needs = new RuleNeeds(engine);
  readLanes(engine, [needs]);
  return needs;
}

function proofOf(
  engine: Engine,
  rule: Rule,
  tier: TierName,
  need: RuleNeed,
  earlier: EarlierRules,
): RuleProof | undefined {
  const { decides, matches, decidesInTier, neededInTier, takers, takersInTier } = need;
  if (decides !== undefined)
    return {
      kind: "redundant",
      because: neededInTier ? "other tiers" : "its tier",
      rule,
      tier,
      example: () => replacementAt(decides, rule, engine),
    };
  const inTier = earlier.inItsTier(rule);
  if (inTier !== undefined || (matches && !decidesInTier))
    return {
      kind: "shadowed",
      rule,
      tier,
      by: earlier.inOrder(takersInTier),
      ...(inTier && { always: inTier }),
    };
  const before = earlier.beforeItsTier(rule);
  if (before === undefined && !matches) return undefined;
  return { kind: "unreached", rule, tier, by: earlier.inOrder(takers), ...(before && { always: before }) };
}

function replacementAt(witness: Spot, rule: Rule, { cluster }: Engine): Replacement {
  const { direction, field } = witness;
  const flow = flowAt(witness, cluster);
  const subject = field.view.ends.classOf(direction === "egress" ? flow.source : flow.destination)!;
  // With only the rules that apply to the subject: thousands of others need not be looked at.
  const own = field.view.literalTiers(direction, subject);
  const tiers = withoutRule({ egress: own, ingress: own }, rule);
  return { flow, instead: evaluateDirection(direction, cluster, tiers, flow).decisions[0]! };
}

/** Rules that come before others, to find one that takes all of another, whatever is deployed. */
class EarlierRules {
  private readonly tiers: readonly {
    readonly rules: readonly Rule[];
    readonly homes: readonly (string | undefined)[];
    readonly isConditional: boolean;
  }[];
  private readonly positions = new Map<Rule, { readonly tier: number; readonly position: number }>();

  constructor(tiers: readonly Tier[]) {
    this.tiers = tiers.map(({ rules }) => ({
      rules,
      homes: rules.map(homeOf),
      isConditional: rules.some(({ condition }) => condition !== undefined),
    }));
    for (const [tier, { rules }] of tiers.entries())
      for (const [position, rule] of rules.entries()) this.positions.set(rule, { tier, position });
  }

  inItsTier(rule: Rule): Rule | undefined {
    const { tier, position } = this.positions.get(rule)!;
    // S7.7: what allows has a say about the conditions of others, even behind them.
    if (rule.action === "Allow" && this.tiers[tier]!.isConditional) return undefined;
    return this.covering(rule, tier, position);
  }

  /** S1.3: a Pass in front of the covering rule that may match some of it lets that part leave the tier undecided. */
  beforeItsTier(rule: Rule): Rule | undefined {
    const { tier } = this.positions.get(rule)!;
    for (let i = 0; i < tier; i++) {
      const { rules } = this.tiers[i]!;
      const passed = rules.findIndex((other) => other.action === "Pass" && canMeet(other, rule));
      const found = this.covering(rule, i, passed === -1 ? rules.length : passed, isFinal);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** As they are evaluated; whoever isolates comes behind all rules. */
  inOrder<T extends Rule | Isolation>(takers: ReadonlySet<T>): readonly T[] {
    const placeOf = (taker: T) => {
      const found = "peers" in taker ? this.positions.get(taker) : undefined;
      return found === undefined ? [this.tiers.length, 0] : [found.tier, found.position];
    };
    const places = new Map(Array.from(takers, (taker) => [taker, placeOf(taker)]));
    return [...takers].toSorted((a, b) => {
      const [x, y] = [places.get(a)!, places.get(b)!];
      return x[0]! - y[0]! || x[1]! - y[1]!;
    });
  }

  private covering(
    rule: Rule,
    tier: number,
    before: number,
    fits: (rule: Rule) => boolean = () => true,
  ): Rule | undefined {
    if (!canMatch(rule)) return undefined;
    const { rules, homes } = this.tiers[tier]!;
    const home = homeOf(rule);
    for (let i = 0; i < before; i++) {
      // Most rules are of another namespace, which is the quickest to tell.
      if (homes[i] !== undefined && homes[i] !== home) continue;
      if (fits(rules[i]!) && coversRule(rules[i]!, rule)) return rules[i];
    }
    return undefined;
  }
}

const isFinal = ({ action }: Rule): boolean => action !== "Pass";

/** The only namespace that a rule is for, if there is one. */
function homeOf({ subject }: Rule): string | undefined {
  const named = subject.namespaces.find(
    ({ key, operator }) => key === namespaceNameLabel && operator === "In",
  );
  return named?.values.length === 1 ? named.values[0] : undefined;
}

/** Whether anything could match it: whoever speaks of nobody is not in the shadow of others. */
function canMatch({ subject, peers, ports }: Rule): boolean {
  const { namespaces, pods, account = [] } = subject;
  return peers.length > 0 && ports.length > 0 && [namespaces, pods, account].every(isSatisfiable);
}
