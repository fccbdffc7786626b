import type { Place } from "../../diagnostics/place.js";
import type { Code } from "../../diagnostics/table.js";
import { compile, type EndClass, type Engine, type ExternalBlock } from "../../engine/index.js";
import type { PodEndpoint } from "../../evaluate/flow.js";
import { isObject, type Json } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import {
  formatPolicy,
  type Direction,
  type PodSelection,
  type PolicyRef,
  type Rule,
  type TierName,
  type Tiers,
} from "../../policy/model.js";
import type { State } from "../../state/state.js";
import { grouped } from "../../collections/maps.js";
import type { Finding } from "./finding.js";
import { completed } from "../../collections/steps.js";
import {
  type Conjunction,
  orderAnswer,
  type OrderAnswer,
  RuleQuestions,
  type RuleWalk,
} from "../../prove/rules/index.js";
import type { Budget } from "../../prove/sat/index.js";
import { type Proofs, proveInSteps } from "../proof/proofs.js";
import { budgetFor } from "../proof/rule-proofs.js";
import { sharedPriorities, type SharedPriority } from "../proof/shared-priorities.js";
import { partOfRule, stepsOf } from "./place-in-rule.js";
import { SelectedPods } from "./selected-pods.js";

/**
 * One thing to look for. A rule is a file in rules/, a test next to it, a line in rules.ts, a code in the table of
 * diagnostics, and a page in docs/reference/diagnostics/ that is executed.
 */
export interface LintRule {
  readonly code: Code;
  /** Codes of `tierwall validate` that this rule reports better: they are left out of the findings. */
  readonly replaces?: readonly Code[];
  readonly check: (context: LintContext) => Iterable<Finding>;
}

/** How many questions about every cluster were not decided. */
export interface Undecided {
  /** Rules that this cluster does not need. */
  readonly rules: number;
  /** Priorities that several policies share. */
  readonly priorities: number;
}

/** What rules look at: a state without errors, and what is computed from it once for all of them. */
export class LintContext {
  private externalBlocks: ReadonlyMap<EndClass, readonly ExternalBlock[]> | undefined;
  private selected: SelectedPods | undefined;
  private byPolicy: ReadonlyMap<PolicyRef, readonly RuleInTier[]> | undefined;
  private proven: Proofs | undefined;
  private asked: RuleQuestions | undefined;
  private shared: ReadonlyMap<SharedPriority, OrderAnswer> | undefined;
  private started: Budget | undefined;
  /** Single questions that were not decided. */
  private open = 0;
  private objects: ReadonlyMap<PolicyRef, ManifestObject> | undefined;

  constructor(
    readonly state: State,
    private compiled?: Engine,
    /** Milliseconds for all questions about every cluster together. */
    private readonly milliseconds = Infinity,
    private readonly afterStep?: () => void,
  ) {}

  /** Compiled when it is first needed. */
  get engine(): Engine {
    return (this.compiled ??= compile(this.state.cluster, this.state.tiers));
  }

  /** The pods that a subject selects: never those in the host's network. */
  podsOf(subject: PodSelection): readonly PodEndpoint[] {
    return (this.selected ??= new SelectedPods(this.state.cluster)).of(subject);
  }

  /** The rules of each policy that has any, in the order of evaluation, egress and ingress each by itself. */
  get rulesByPolicy(): ReadonlyMap<PolicyRef, readonly RuleInTier[]> {
    return (this.byPolicy ??= grouped(rulesInTiers(this.state.tiers), ({ rule }) => rule.origin.policy));
  }

  /** What is proven about the rules: with the engine for this cluster, with the prover for every cluster. */
  get proofs(): Proofs {
    return (this.proven ??= completed(
      proveInSteps(this.engine, { questions: this.questions, budget: () => this.budget }),
      this.afterStep,
    ));
  }

  /** Policies that share a priority, and whether they can ever disagree. */
  get sharedPriorities(): ReadonlyMap<SharedPriority, OrderAnswer> {
    return (this.shared ??= new Map(
      sharedPriorities(this.state.tiers).map((shared) => {
        const known = this.proofs.orderConflicts;
        const isKnown = (a: PolicyRef, b: PolicyRef) =>
          known.some(({ first, second }) => first === a && second === b);
        const steps = orderAnswer(this.questions, this.state, shared, isKnown, this.budget);
        return [shared, completed(steps, this.afterStep)];
      }),
    ));
  }

  /** Whether two rules of one direction can match one connection, in some cluster. False if that is not decided. */
  canBothMatch(first: Rule, second: Rule): boolean {
    const owners = [first, second].some(({ origin }) => origin.policy.namespace !== undefined);
    const steps = this.questions.walkOf(first.origin.direction, owners ? "as written" : "anything");
    const walk = completed(steps, this.afterStep);
    return this.isPossible(walk, walk.bothMatch(first, second));
  }

  /** Whether an egress rule that allows names would allow anything that is denied without it, in some cluster, for any address. */
  isNeededForAddresses(rule: Rule, withoutNames: Tiers): boolean {
    const every: Rule = { ...rule, peers: [{ kind: "entity", entity: "world" }] };
    const egress = withoutNames.egress.map((tier) => ({
      ...tier,
      rules: tier.rules.map((other) => (other.origin === rule.origin ? every : other)),
    }));
    const questions = new RuleQuestions({ ...withoutNames, egress }, this.engine.cluster.cidrGroups);
    const walk = completed(questions.walkOf("egress", "as written"), this.afterStep);
    return this.isPossible(walk, walk.needed(every), true);
  }

  private isPossible(walk: RuleWalk, goal: Conjunction, otherwise = false): boolean {
    const answer = walk.solve([walk.asWritten, ...goal], this.budget);
    if (answer === "budget-exhausted") this.open += 1;
    return answer === "budget-exhausted" ? otherwise : answer === "satisfiable";
  }

  /** What was asked about every cluster and not decided within the budget. */
  get undecided(): Undecided {
    const answers = [...(this.shared?.values() ?? [])];
    return {
      rules: (this.proven?.undecided.length ?? 0) + this.open,
      priorities: answers.filter(({ result }) => result === "not decided").length,
    };
  }

  private get questions(): RuleQuestions {
    return (this.asked ??= new RuleQuestions(this.engine.tiers, this.engine.cluster.cidrGroups));
  }

  /** Time runs from the first question. */
  private get budget(): Budget {
    return (this.started ??= budgetFor(this.milliseconds));
  }

  /** Rules that administrators put above what namespace owners write. */
  get guardrails(): readonly RuleInTier[] {
    return [...rulesInTiers(this.state.tiers)].filter(isGuardrail);
  }

  /** The place of a finding about the subject of a policy. */
  aboutSubject(policy: PolicyRef): About {
    const object = this.objectOf(policy);
    const spec = object?.value.spec;
    if (object === undefined || !isObject(spec)) return aboutPolicy(policy);
    const field = subjectFields.find((name) => name in spec);
    const path = [...object.path, "spec", ...(field === undefined ? [] : [field])];
    return aboutPart(policy, object.document.placeOfKey(path));
  }

  /** The place of a finding about a rule: the part that is meant, or the rule as a whole. */
  about({ origin }: Rule, fits: (value: Json, key: string | number) => boolean = () => false): About {
    const object = this.objectOf(origin.policy);
    const part = object && partOfRule(object, origin, fits);
    return {
      ...aboutPart(origin.policy, part?.place ?? origin.place()),
      path: part?.path ?? stepsOf(origin.path),
    };
  }

  /** What the policies decide for external addresses, by class of pods. */
  get external(): ReadonlyMap<EndClass, readonly ExternalBlock[]> {
    return (this.externalBlocks ??= externalByClass(this.engine));
  }

  /** The object that a policy was read from. */
  objectOf(policy: PolicyRef): ManifestObject | undefined {
    this.objects ??= new Map(this.state.written.map((written) => [written.policy, written.object]));
    return this.objects.get(policy);
  }
}

/** What and where a finding is about. */
export type About = Pick<Finding, "object" | "place" | "path">;

export const aboutPolicy = (policy: PolicyRef): About => aboutPart(policy, policy.place());

/** A part of a policy, and its place. */
export const aboutPart = (policy: PolicyRef, place: Place | undefined): About => ({
  object: formatPolicy(policy),
  ...(place === undefined ? {} : { place }),
});

/** The rule as a whole, without its path. */
export const aboutRule = ({ origin }: Rule): About => aboutPart(origin.policy, origin.place());

/** The baseline is no guardrail: NetworkPolicies come before it. Cilium's denials come before every allow (S7.1). */
function isGuardrail({ tier, rule }: RuleInTier): boolean {
  const { policy } = rule.origin;
  const isAbove = tier === "guardrail" || tier === "guardrail-allow" || tier === "admin";
  return isAbove || (policy.kind === "CiliumClusterwideNetworkPolicy" && rule.action === "Deny");
}

/** As the APIs call it; a Cilium policy with several rules has it inside `specs`. */
const subjectFields = ["subject", "podSelector", "appliedTo", "endpointSelector", "specs"];

/** A rule, and where it is evaluated. */
export interface RuleInTier {
  readonly direction: Direction;
  readonly tier: TierName;
  /** Its number among the rules of its tier. */
  readonly position: number;
  readonly rule: Rule;
}

export function* rulesInTiers(tiers: Tiers): Iterable<RuleInTier> {
  for (const direction of ["ingress", "egress"] as const)
    for (const { name: tier, rules } of tiers[direction])
      for (const [position, rule] of rules.entries()) yield { direction, tier, position, rule };
}

export function externalByClass(engine: Engine): ReadonlyMap<EndClass, readonly ExternalBlock[]> {
  const each = Array.from(engine.externalPairs(), (block) => block.classes.map((end) => ({ end, block })));
  const byClass = grouped(each.flat(), ({ end }) => end);
  return new Map(Array.from(byClass, ([end, its]) => [end, its.map(({ block }) => block)]));
}
