import { grouped } from "../../collections/maps.js";
import type { LowerOptions } from "../../dialects/dialect.js";
import { isKnownVersion } from "../../dialects/registry.js";
import { annotatedChoice } from "../../policy/annotations.js";
import { couldSelectOnePod } from "../../state/warnings/same-priority.js";
import { formatRule } from "../../policy/describe.js";
import { formatPolicy, type PolicyRef, type Rule } from "../../policy/model.js";
import { ownPolicies, type PolicyDefinition, type State } from "../../state/state.js";
import {
  type Draft,
  draftOf,
  type DraftRule,
  nameOfRule,
  ruleCount,
  type Step,
  withLists,
  writtenRule,
} from "./draft.js";
import { budgetFor } from "../proof/rule-proofs.js";
import { idlePolicies, mergedPolicies } from "./merged-policies.js";
import { mergedRules } from "./merged-rules.js";
import { type Reason, type Scope, unneededRules } from "./unneeded-rules.js";
import { type UndoneUnit, type Unit, verified, type Verification } from "./verification.js";

/*
 * The same verdicts with fewer rules and policies:
 *
 *   policies ──► drafts ─┬─► without rules that are not needed ──► merged policies ──► merged rules ─┬─► verified, or undone
 *                        └──────────────────────── until nothing changes ◄───────────────────────────┘
 */

export interface MinimizeOptions {
  /** Whether verdicts have to be the same in every cluster, and not only in that of the input. */
  readonly everywhere?: boolean;
  /** Whether what matches nothing in this cluster, or what other tiers do there as well, is removed too. */
  readonly unused?: boolean;
  /** For rules that every cluster can do without, and again for the comparison in every cluster, in milliseconds. */
  readonly budget?: number;
  /** Why a policy must not change; undefined if it may. */
  readonly mustStay?: (policy: PolicyDefinition) => string | undefined;
  /** The settings that the input was read with. */
  readonly reading?: LowerOptions;
}

/** How much there is. */
export interface Size {
  readonly policies: number;
  readonly rules: number;
}

export interface Minimization {
  readonly before: Size;
  readonly after: Size;
  /** What was done, policy by policy. */
  readonly changes: readonly Unit[];
  /** What was not done, because verdicts would change or because that was not decided. */
  readonly undone: readonly UndoneUnit[];
  /** Policies that are as they were, and why. */
  readonly leftAlone: readonly { readonly policy: PolicyRef; readonly why: string }[];
  /** The policies of the result, in the order of the input. */
  readonly policies: readonly ResultPolicy[];
  readonly verification: Verification;
  readonly state: State;
}

/** A policy of the result; one without a draft is as it was. */
export interface ResultPolicy {
  readonly definition: PolicyDefinition;
  readonly draft?: Draft;
}

/** Each pass can make room for the next; this many are always enough. */
const mostPasses = 200;

export function minimize(given: State, options: MinimizeOptions = {}): Minimization {
  const { everywhere = false, unused = false, budget, mustStay, reading = {} } = options;
  const state = ownPolicies(given); // S9.7
  const { drafts: first, leftAlone } = draftsOf(state, reading, mustStay);
  const fixed = state.definitions.filter((one) => !first.some(({ origins }) => origins[0] === one));
  const scope = { everywhere, unused: unused && !everywhere, budget: budgetFor(budget) };
  const removed: Unit[] = [];
  const refused = new Set<DraftRule>();
  let drafts: readonly Draft[] = first;
  for (let pass = 0; pass < mostPasses; pass++) {
    const definitions = [...fixed, ...drafts.map(({ definition }) => definition)];
    const current = state.withDefinitions(definitions);
    const idle = idlePolicies(drafts, current, { isEnforced, unused: scope.unused });
    for (const [draft, step] of idle) removed.push(unitOf(draft, [...draft.steps, step]));
    const left = drafts.filter((draft) => !idle.has(draft));
    const cleaned = idle.size > 0 ? left : withoutUnneeded(left, current, scope, reading, refused);
    const next = isSame(cleaned, drafts) ? merged(cleaned, definitions, reading) : cleaned;
    if (isSame(next, drafts)) break;
    drafts = next;
  }
  const changed = drafts.filter(({ steps }) => steps.length > 0);
  const units = [...changed.map((draft) => unitOf(draft, draft.steps, draft)), ...removed];
  return resultOf(
    state,
    first,
    leftAlone,
    verified(state, units, { everywhere, budget: budgetFor(budget), variantsOf }),
  );
}

const isSame = (a: readonly Draft[], b: readonly Draft[]): boolean =>
  a.length === b.length && a.every((draft) => b.includes(draft));

const unitOf = ({ origins }: Draft, steps: readonly Step[], draft?: Draft): Unit => ({
  origins,
  steps,
  ...(draft === undefined ? {} : { draft }),
});

function resultOf(
  state: State,
  first: readonly Draft[],
  leftAlone: Minimization["leftAlone"],
  { accepted, undone, verification }: ReturnType<typeof verified>,
): Minimization {
  const made = new Map(accepted.flatMap((unit) => unit.origins.map((one) => [one, unit] as const)));
  const policies = state.definitions.flatMap((definition): readonly ResultPolicy[] => {
    const unit = made.get(definition);
    if (unit === undefined) return [{ definition }];
    return unit.draft?.origins[0] === definition
      ? [{ definition: unit.draft.definition, draft: unit.draft }]
      : [];
  });
  const own = new Map(first.map((draft) => [draft.origins[0], ruleCount(draft)]));
  const rulesIn = (all: readonly ResultPolicy[]) =>
    all.reduce(
      (sum, { definition, draft }) =>
        sum +
        (draft === undefined ? (own.get(definition) ?? definition.lowered.rules.length) : ruleCount(draft)),
      0,
    );
  const before = state.definitions.map((definition): ResultPolicy => ({ definition }));
  return {
    before: { policies: before.length, rules: rulesIn(before) },
    after: { policies: policies.length, rules: rulesIn(policies) },
    changes: accepted,
    undone,
    leftAlone,
    policies,
    verification,
    state: state.withDefinitions(policies.map(({ definition }) => definition)),
  };
}

/** The policies that can be changed, and the others. */
function draftsOf(state: State, reading: LowerOptions, mustStay: MinimizeOptions["mustStay"]) {
  const leftAlone: { readonly policy: PolicyRef; readonly why: string }[] = [];
  const drafts: Draft[] = [];
  const conditional = conditionalRules(state);
  const known = new Set(state.definitions.map(({ policy }) => policy));
  for (const { policy } of state.written)
    if (!known.has(policy)) leftAlone.push({ policy, why: "it has errors" });
  for (const definition of state.definitions) {
    const why = mustStay?.(definition) ?? reasonToLeave(definition, conditional);
    const draft = why === undefined ? draftOf(definition, reading) : undefined;
    if (draft !== undefined) drafts.push(draft);
    else
      leftAlone.push({
        policy: definition.policy,
        why: why ?? "its API does not accept it as it is written",
      });
  }
  return { drafts, leftAlone };
}

const conditionalRules = ({ tiers }: State): readonly Rule[] =>
  [...tiers.ingress, ...tiers.egress].flatMap(({ rules }) =>
    rules.filter(({ condition }) => condition !== undefined),
  );

function reasonToLeave(
  { policy, lowered }: PolicyDefinition,
  conditional: readonly Rule[],
): string | undefined {
  if (!isKnownVersion(policy)) return "its version is not known";
  if (lowered.rules.some(({ rule }) => rule.failedClosed !== undefined))
    return "it has parts that are not understood";
  if (!isEnforced(policy)) return "it is not enforced (tierwall.dev/enforcement: shadow)";
  // S7.7: whether a condition applies depends on how the peers and ports of other rules are written.
  const meets = lowered.rules.some(({ tier, rule }) =>
    conditional.some(
      (other) =>
        tier === "network-policy" &&
        rule.origin.direction === other.origin.direction &&
        couldSelectOnePod(rule.subject, other.subject),
    ),
  );
  return meets ? "rules with conditions (L7, authentication) apply to the same pods" : undefined;
}

const isEnforced = (policy: PolicyRef): boolean => annotatedChoice(policy, "enforcement") === "enforce";

/** A state, and that without the policies that are not enforced yet: verdicts have to be the same with and without them. */
function variantsOf(state: State): readonly State[] {
  if (state.policies.every(isEnforced)) return [state];
  return [state, state.withDefinitions(state.definitions.filter(({ policy }) => isEnforced(policy)))];
}

/** Without rules that can be removed together. Those that a policy cannot do without are refused. */
function withoutUnneeded(
  drafts: readonly Draft[],
  state: State,
  scope: Scope,
  reading: LowerOptions,
  refused: Set<DraftRule>,
): readonly Draft[] {
  const owners = new Map(drafts.map((draft) => [draft.definition.policy, draft]));
  const writtenOf = (rule: Rule) => {
    const draft = owners.get(rule.origin.policy);
    return draft && writtenRule(draft, rule);
  };
  const isEditable = (rule: Rule) => {
    const written = writtenOf(rule);
    return written !== undefined && !refused.has(written);
  };
  const found = unneededRules(variantsOf(state), isEditable, scope);
  const gone = grouped(found, ({ rule }) => rule.origin.policy);
  const cleaned = drafts.map((draft) => {
    let current = draft;
    for (const { rule, reason } of gone.get(draft.definition.policy) ?? []) {
      const written = writtenOf(rule)!;
      const next = withoutRule(current, written, reasonText(reason, writtenOf), reading);
      if (next === undefined) refused.add(written);
      else current = next;
    }
    return current;
  });
  return found.length > 0 && isSame(cleaned, drafts)
    ? withoutUnneeded(drafts, state, scope, reading, refused)
    : cleaned;
}

function withoutRule(draft: Draft, gone: DraftRule, why: string, reading: LowerOptions): Draft | undefined {
  const lists = draft.lists.map((list) => ({ ...list, rules: list.rules.filter((rule) => rule !== gone) }));
  const rule = gone.origins.map((origin) => nameOfRule(origin, draft.origins[0])).join(" with ");
  return withLists(
    draft,
    lists,
    [{ kind: "remove-rule", policy: draft.origins[0].policy, rule, why }],
    reading,
  );
}

const mostNamed = 2;

/** `shadowed by NetworkPolicy shop/web ingress rule 1`, as the rules are called in the input. */
function reasonText({ text, by }: Reason, writtenOf: (rule: Rule) => DraftRule | undefined): string {
  const names = new Set(
    by.map((part) => {
      if (!("action" in part)) {
        const { origin } = part;
        return origin.kind === "option" ? origin.option : `the isolation of ${formatPolicy(origin.policy)}`;
      }
      const [ref] = writtenOf(part)?.origins ?? [];
      return ref === undefined
        ? formatRule(part.origin)
        : `${formatPolicy(ref.definition.policy)} ${nameOfRule(ref)}`;
    }),
  );
  if (names.size === 0) return text.replace(/ by$/, " without it");
  const more = names.size > mostNamed ? ` and ${names.size - mostNamed} more` : "";
  return `${text} ${[...names].slice(0, mostNamed).join(", ")}${more}`;
}

function merged(
  drafts: readonly Draft[],
  definitions: readonly PolicyDefinition[],
  reading: LowerOptions,
): readonly Draft[] {
  return mergedPolicies(drafts, definitions, reading).map((draft) => mergedRules(draft, reading));
}
