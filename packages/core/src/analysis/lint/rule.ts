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
import { grouped } from "../grouped.js";
import type { Finding } from "./finding.js";
import { partOfRule, stepsOf } from "./place-in-rule.js";
import { SelectedPods } from "./selected-pods.js";

/**
 * One thing to look for. A rule is a file in rules/, a test beside it, a line in rules.ts, a code in the table of
 * diagnostics, and a page in docs/diagnostics/ that is executed.
 */
export interface LintRule {
  readonly code: Code;
  /** Codes of `tierwall validate` that this rule tells better: they are left out of the findings. */
  readonly replaces?: readonly Code[];
  readonly check: (context: LintContext) => Iterable<Finding>;
}

/** What rules look at: a state without errors, and all that is made from it once for all of them. */
export class LintContext {
  private externalBlocks: ReadonlyMap<EndClass, readonly ExternalBlock[]> | undefined;
  private selected: SelectedPods | undefined;
  private byPolicy: ReadonlyMap<PolicyRef, readonly PlacedRule[]> | undefined;
  private objects: ReadonlyMap<PolicyRef, ManifestObject> | undefined;

  constructor(
    readonly state: State,
    private compiled?: Engine,
  ) {}

  /** Compiled when the first rule asks. */
  get engine(): Engine {
    return (this.compiled ??= compile(this.state.cluster, this.state.tiers));
  }

  /** The pods that a subject selects: never those in the host's network. */
  podsOf(subject: PodSelection): readonly PodEndpoint[] {
    return (this.selected ??= new SelectedPods(this.state.cluster)).of(subject);
  }

  /** The rules of each policy that has any, in the order of evaluation, egress and ingress each by itself. */
  get rulesByPolicy(): ReadonlyMap<PolicyRef, readonly PlacedRule[]> {
    return (this.byPolicy ??= grouped(rulesOf(this.state.tiers), ({ rule }) => rule.origin.policy));
  }

  /** Where the selection of a policy's subject stands. */
  placeOfSubject(policy: PolicyRef): Place | undefined {
    const object = this.objectOf(policy);
    const spec = object?.value.spec;
    if (object === undefined || !isObject(spec)) return policy.place();
    const field = subjectFields.find((name) => name in spec);
    return object.document.placeOfKey([...object.path, "spec", ...(field === undefined ? [] : [field])]);
  }

  /** What a finding about a rule says of its place: the part that is meant, or the rule as a whole. */
  about(
    { origin }: Rule,
    fits: (value: Json, key: string | number) => boolean = () => false,
  ): Pick<Finding, "object" | "place" | "path"> {
    const object = this.objectOf(origin.policy);
    const part = object && partOfRule(object, origin, fits);
    const place = part?.place ?? origin.place();
    return {
      object: formatPolicy(origin.policy),
      ...(place === undefined ? {} : { place }),
      path: part?.path ?? stepsOf(origin.path),
    };
  }

  /** What the policies say to external addresses, by class of pods. */
  get external(): ReadonlyMap<EndClass, readonly ExternalBlock[]> {
    return (this.externalBlocks ??= externalByClass(this.engine));
  }

  /** The object that a policy was read from. */
  objectOf(policy: PolicyRef): ManifestObject | undefined {
    this.objects ??= new Map(this.state.written.map((written) => [written.policy, written.object]));
    return this.objects.get(policy);
  }
}

/** As the APIs call it; a Cilium policy with several rules has it inside `specs`. */
const subjectFields = ["subject", "podSelector", "appliedTo", "endpointSelector", "specs"];

/** A rule, and where it is asked. */
export interface PlacedRule {
  readonly direction: Direction;
  readonly tier: TierName;
  /** Its number among the rules of its tier. */
  readonly position: number;
  readonly rule: Rule;
}

export function* rulesOf(tiers: Tiers): Iterable<PlacedRule> {
  for (const direction of ["ingress", "egress"] as const)
    for (const { name: tier, rules } of tiers[direction])
      for (const [position, rule] of rules.entries()) yield { direction, tier, position, rule };
}

export function externalByClass(engine: Engine): ReadonlyMap<EndClass, readonly ExternalBlock[]> {
  const found = new Map<EndClass, ExternalBlock[]>();
  for (const block of engine.externalPairs())
    for (const end of block.classes) {
      const known = found.get(end);
      if (known === undefined) found.set(end, [block]);
      else known.push(block);
    }
  return found;
}
