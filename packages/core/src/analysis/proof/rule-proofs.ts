import type { Engine } from "../../engine/engine.js";
import { ruleNeeds, type RuleNeed } from "../../engine/rule-need.js";
import { flowAt } from "../../engine/spot.js";
import { evaluateDirection } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Decision } from "../../evaluate/walk.js";
import { isSatisfiable } from "../../labels/satisfiable.js";
import type { Isolation, Rule, Tier, TierName, Tiers } from "../../policy/model.js";
import { withoutRule } from "../../policy/without-rule.js";
import { covers } from "./covers.js";

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
      readonly example: () => Replacement;
    }
);

/** A connection that a rule decides, and who would decide it in its place. */
export interface Replacement {
  readonly flow: Flow;
  readonly instead: Decision;
}

/** All that is proven, rules in the order of evaluation. Rules that speak of nobody here are proven only for always. */
export function ruleProofs(engine: Engine): readonly RuleProof[] {
  const needs = ruleNeeds(engine);
  const found: RuleProof[] = [];
  for (const direction of ["ingress", "egress"] as const) {
    const earlier = new EarlierRules(engine.tiers, direction);
    for (const { name: tier, rules } of engine.tiers[direction])
      for (const rule of rules) {
        const need = needs.get(rule)!;
        const proof = need.needed ? undefined : proofOf(engine, rule, tier, need, earlier);
        if (proof !== undefined) found.push(proof);
      }
  }
  return found;
}

function proofOf(
  engine: Engine,
  rule: Rule,
  tier: TierName,
  need: RuleNeed,
  earlier: EarlierRules,
): RuleProof | undefined {
  const { decides, matches, decidesInTier, takers, takersInTier } = need;
  if (decides !== undefined)
    return {
      kind: "redundant",
      rule,
      tier,
      example: () => {
        const flow = flowAt(decides, engine.cluster);
        return { flow, instead: decisionWithout(engine, rule, flow) };
      },
    };
  const inTier = earlier.covering(rule, "in its tier");
  if (inTier !== undefined || (matches && !decidesInTier))
    return { kind: "shadowed", rule, tier, by: [...takersInTier], ...(inTier && { always: inTier }) };
  const before = earlier.covering(rule, "before its tier");
  if (before === undefined && !matches) return undefined;
  return { kind: "unreached", rule, tier, by: [...takers], ...(before && { always: before }) };
}

function decisionWithout({ cluster, tiers }: Engine, rule: Rule, flow: Flow): Decision {
  const { decisions } = evaluateDirection(rule.origin.direction, cluster, withoutRule(tiers, rule), flow);
  return decisions[0]!;
}

/** Rules that come before others, to find one that takes all of another, whatever is deployed. */
class EarlierRules {
  private readonly positions = new Map<Rule, { readonly tier: number; readonly position: number }>();
  /** Tiers in which some rule has a condition. */
  private readonly conditional = new Set<number>();

  constructor(
    private readonly tiers: Tiers,
    private readonly direction: Rule["origin"]["direction"],
  ) {
    for (const [tier, { rules }] of tiers[direction].entries())
      for (const [position, rule] of rules.entries()) {
        this.positions.set(rule, { tier, position });
        if (rule.condition !== undefined) this.conditional.add(tier);
      }
  }

  covering(rule: Rule, where: "in its tier" | "before its tier"): Rule | undefined {
    if (!canMatch(rule)) return undefined;
    const { tier, position } = this.positions.get(rule)!;
    const tiers = this.tiers[this.direction];
    if (where === "before its tier")
      return firstOf(tiers.slice(0, tier), (other) => other.action !== "Pass" && covers(other, rule));
    const { rules } = tiers[tier]!;
    // S7.7: what allows has a say about the conditions of others, even behind them.
    if (rule.action === "Allow" && this.conditional.has(tier)) return undefined;
    for (let i = 0; i < position; i++) if (covers(rules[i]!, rule)) return rules[i];
    return undefined;
  }
}

function firstOf(tiers: readonly Tier[], fits: (rule: Rule) => boolean): Rule | undefined {
  for (const { rules } of tiers) for (const rule of rules) if (fits(rule)) return rule;
  return undefined;
}

/** Whether anything could match it: whoever speaks of nobody is not in the shadow of others. */
function canMatch({ subject, peers, ports }: Rule): boolean {
  const { namespaces, pods, account = [] } = subject;
  return peers.length > 0 && ports.length > 0 && [namespaces, pods, account].every(isSatisfiable);
}
