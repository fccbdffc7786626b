import type { CidrGroup } from "../../cluster/model.js";
import {
  type Direction,
  directions,
  type Isolation,
  type Rule,
  type Tier,
  type Tiers,
} from "../../policy/model.js";
import { type Budget, minimalCore } from "../sat/index.js";
import { type Conjunction, RuleWalk } from "./rule-walk.js";

/** What holds of a rule in every cluster, and the rules and isolations that suffice for it. */
export interface EveryClusterProof {
  readonly kind: "shadowed" | "unreached" | "redundant";
  /** Of a redundant rule: whether its own tier decides the same without it, or other tiers do. */
  readonly because?: "its tier" | "other tiers";
  readonly by: readonly (Rule | Isolation)[];
}

/** `needed`: there is a cluster in which it decides something, and the verdict would be another without it. */
export type RuleAnswer = EveryClusterProof | "needed" | "matches nothing" | "not decided";

/*
 * Questions about single rules, whatever is deployed:
 *
 *   is it needed?  yes ──► nothing to report
 *     no: does it ever decide?   yes ──► redundant
 *       no: would it, if its tier came first?   yes ──► unreached      no ──► shadowed, if it can match anything
 *
 * Rules of the cluster are asked about whatever policies namespace owners write; rules of namespaces with all policies as written.
 */
export class RuleQuestions {
  private readonly walks = new Map<string, RuleWalk>();
  private readonly answers = new Map<Rule, RuleAnswer>();
  private readonly haveCilium: boolean;

  constructor(
    private readonly tiers: Tiers,
    private readonly cidrGroups: readonly CidrGroup[],
  ) {
    this.haveCilium = directions.some((direction) =>
      tiers[direction].some(({ rules }) => rules.some(({ origin }) => origin.policy.dialect === "cilium")),
    );
  }

  /** Interrupted now and then. Answers are kept, unless it was only time that ran out. */
  *answer(rule: Rule, budget: Budget): Generator<void, RuleAnswer> {
    const known = this.answers.get(rule);
    if (known !== undefined) return known;
    const isLate = () => Date.now() > (budget.deadline ?? Infinity);
    if (isLate()) return "not decided";
    const walk = yield* this.walkOf(rule.origin.direction, isOfNamespace(rule) ? "as written" : "anything");
    const found = answerIn(walk, rule, budget);
    if (found !== "not decided" || !isLate()) this.answers.set(rule, found);
    return found;
  }

  /** Whether more time would not change the answer. */
  isAnswered(rule: Rule): boolean {
    return this.answers.has(rule);
  }

  /** What owners write: `anything`, so that their policies in the input do not count. */
  *walkOf(direction: Direction, owners: "anything" | "as written"): Generator<void, RuleWalk> {
    const key = `${direction} ${owners}`;
    const known = this.walks.get(key);
    if (known !== undefined) return known;
    const writeAnything = owners === "anything";
    const tiers = writeAnything ? ofCluster(this.tiers) : evaluated(this.tiers);
    const made = yield* RuleWalk.build(direction, tiers, this.cidrGroups, {
      writeAnything,
      haveCilium: this.haveCilium,
    });
    this.walks.set(key, made);
    return made;
  }

  /** Keeps the answers, and lets go of the formulas, which are large. */
  forgetFormulas(): void {
    this.walks.clear();
  }
}

function answerIn(walk: RuleWalk, rule: Rule, budget: Budget): RuleAnswer {
  const ask = (goal: Conjunction) => walk.solve([walk.asWritten, ...goal], budget);
  const isNeeded = ask(walk.needed(rule));
  if (isNeeded === "satisfiable") return "needed";
  if (isNeeded === "budget-exhausted") return "not decided";
  const decides = ask(walk.decides(rule));
  if (decides === "budget-exhausted") return "not decided";
  if (decides === "satisfiable") {
    const inTier = walk.neededInTier(rule);
    return ask(inTier) === "unsatisfiable"
      ? { kind: "redundant", because: "its tier", by: restsOn(walk, rule, inTier, budget) }
      : { kind: "redundant", because: "other tiers", by: restsOn(walk, rule, walk.needed(rule), budget) };
  }
  const inTier = walk.decidesInTier(rule);
  const [kind, impossible] =
    ask(inTier) === "unsatisfiable"
      ? (["shadowed", inTier] as const)
      : (["unreached", walk.decides(rule)] as const);
  const by = restsOn(walk, rule, impossible, budget);
  // Without any other rule, it would decide whatever it matches.
  return by.length === 0 ? "matches nothing" : { kind, by };
}

/** Of all other rules, those that suffice to make this impossible, the first in the order of evaluation if there is a choice. */
function restsOn(
  walk: RuleWalk,
  rule: Rule,
  impossible: Conjunction,
  budget: Budget,
): readonly (Rule | Isolation)[] {
  const fixed = [...impossible, walk.switches.get(rule)!];
  const parts = new Map(
    walk.parts.flatMap((part) => (part === rule ? [] : [[walk.switches.get(part)!, part] as const])),
  );
  // Known to be unsatisfiable: this ends.
  walk.solve([...fixed, ...parts.keys()]);
  const core = walk.solver.core.filter((literal) => parts.has(literal));
  const needed = new Set(minimalCore(walk, fixed, core.toReversed(), budget));
  return [...parts].flatMap(([literal, part]) => (needed.has(literal) ? part : []));
}

const isOfNamespace = ({ origin }: Rule | Isolation): boolean =>
  "policy" in origin && origin.policy.namespace !== undefined;

/** S9.7: what foreign objects decide is not known, and comes before everything else. */
const evaluated = (tiers: Tiers): Tiers => mapTiers(tiers, (tier) => (tier.name === "foreign" ? [] : [tier]));

/** Without the policies of namespaces. */
const ofCluster = (tiers: Tiers): Tiers =>
  mapTiers(evaluated(tiers), (tier) => {
    const rules = tier.rules.filter((rule) => !isOfNamespace(rule));
    const isolation = tier.isolation.filter((entry) => !isOfNamespace(entry));
    return rules.length + isolation.length === 0 ? [] : [{ ...tier, rules, isolation }];
  });

function mapTiers(tiers: Tiers, change: (tier: Tier) => readonly Tier[]): Tiers {
  return { ingress: tiers.ingress.flatMap(change), egress: tiers.egress.flatMap(change) };
}
