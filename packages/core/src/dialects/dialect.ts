import { formatPath, foundOnce, type Path, type Place } from "../diagnostics/place.js";
import { visible } from "../diagnostics/visible.js";
import type { Code } from "../diagnostics/table.js";
import type { JsonObject } from "../manifest/document.js";
import type { Lowered, PlacedIsolation } from "../policy/assemble.js";
import type { DialectId, Direction, PodSelection, PolicyRef, Rule, RuleOrigin } from "../policy/model.js";
import type { ObjectSchema, Problem, Static } from "../schema/schema.js";

/** One kind of one API: how it is written, and what it means. */
export interface PolicyKind {
  readonly dialect: DialectId;
  /** `AdminNetworkPolicy of KEP-2091`: distinguishes this kind from others of the same name. */
  readonly title: string;
  readonly group: string;
  /** The versions that have this shape and meaning (S3.10); the first is the one that Tierwall installs and writes. */
  readonly versions: readonly [string, ...string[]];
  readonly kind: string;
  readonly scope: "Cluster" | "Namespaced";
  /** The ways to write it; most APIs have one. */
  readonly spellings: readonly [Spelling, ...Spelling[]];
  /** Which of the spellings a document uses; the first one by default. */
  readonly choose?: (object: JsonObject) => Spelling;
}

/** `policy.networking.k8s.io/v1alpha2`, of each version that is known. */
export const apiVersionsOf = ({ group, versions }: PolicyKind): readonly string[] =>
  versions.map((version) => `${group}/${version}`);

export const listedVersions = (kinds: readonly PolicyKind[]): string =>
  [...new Set(kinds.flatMap(apiVersionsOf))].map((apiVersion) => `\`${apiVersion}\``).join(" or ");

/** The message of TW1105. */
export const unknownVersion = (apiVersion: string, kinds: readonly PolicyKind[]): string =>
  `\`${apiVersion}\` is not a known version of ${kinds[0]!.kind}; use ${listedVersions(kinds)}`;

/** A shape and its meaning. */
export interface Spelling {
  readonly title: string;
  readonly schema: ObjectSchema;
  readonly lower: (object: never, context: LowerContext) => Lowered;
  /** Field names and values of the other spelling of the same kind: a document that uses them mixes the two. */
  readonly foreign?: {
    readonly code: Code;
    readonly words: readonly string[];
    readonly message: (word: string) => string;
  };
}

/** Ties a schema to the lowering of its type. */
export function spelling<S extends ObjectSchema>(definition: {
  readonly title: string;
  readonly schema: S;
  readonly lower: (object: Static<S>, context: LowerContext) => Lowered;
  readonly foreign?: Spelling["foreign"];
}): Spelling {
  return definition as unknown as Spelling;
}

/** Settings that the meaning of a policy depends on, and that no object contains. */
export interface LowerOptions {
  /** S7.16: the name that Cilium knows this cluster by. */
  readonly ciliumClusterName?: string;
  /** S7.15: Cilium's option `labels`, one expression per item. */
  readonly ciliumLabels?: readonly string[];
  /** S7.13: how many IP families Cilium serves; undefined if unknown. */
  readonly ciliumFamilies?: "one" | "both";
}

/** The context of lowering, besides the object itself. */
export interface LowerContext {
  readonly options: LowerOptions;
  readonly policy: PolicyRef;
  /** S3.6: whether something at or below this path is not understood. Never true for files: there it is an error. */
  readonly unreadable: (path: Path) => boolean;
  readonly placeOf: (path: Path) => Place | undefined;
  /** Reports a warning that only shows once the meaning is known. */
  readonly warn: (problem: Problem) => void;
}

export function originOf(context: LowerContext, direction: Direction, path: Path, name?: string): RuleOrigin {
  const index = path.at(-1);
  return {
    policy: context.policy,
    direction,
    index: typeof index === "number" ? index : 0,
    path: formatPath(path),
    place: foundOnce(() => context.placeOf(path)),
    // No API limits what a rule's name is made of.
    ...(name === undefined ? {} : { name: visible(name) }),
  };
}

/** S1.2: the policy isolates these pods. */
export const isolating = (
  { policy }: LowerContext,
  tier: PlacedIsolation["tier"],
  direction: Direction,
  subject: PodSelection,
): PlacedIsolation => ({ tier, direction, subject, origin: { kind: "policy", policy } });

/** The rules of a list with their paths. Something that is not a list is one rule that is not understood (S3.6). */
export function placedRules<R>(
  rules: readonly R[] | undefined,
  path: Path,
  context: LowerContext,
): readonly { readonly rule: R | undefined; readonly path: Path }[] {
  if (rules === undefined) return context.unreadable(path) ? [{ rule: undefined, path }] : [];
  return rules.map((rule, i) => ({ rule, path: [...path, i] }));
}

/**
 * S3.6: the fields of one rule that contain something unknown, for `failClosed`. What is wrong with
 * the rule as a whole (an unknown field of its own, a missing one) counts as a part of it too.
 */
export function unreadableParts(
  context: LowerContext,
  rule: Path,
  fields: readonly string[],
): readonly string[] {
  if (!context.unreadable(rule)) return [];
  const named = fields.filter((field) => context.unreadable([...rule, field])).map((field) => `\`${field}\``);
  return named.length > 0 ? named : ["a part of it"];
}

/**
 * S3.6: a rule with a part from a newer API fails closed. An Allow then matches nothing; a Deny or Pass, and an action
 * that is not known, deny everything for the subject.
 */
export function failClosed(draft: Rule, actionIsKnown: boolean, unreadable: readonly string[]): Rule {
  if (actionIsKnown && unreadable.length === 0) return draft;
  const what = actionIsKnown
    ? `${unreadable.join(", ")} ${unreadable.length > 1 ? "are" : "is"}`
    : "its action is";
  if (actionIsKnown && draft.action === "Allow")
    return { ...draft, peers: [], failedClosed: `${what} not understood, so this rule allows nothing` };
  return {
    ...draft,
    action: "Deny",
    peers: [{ kind: "everything" }],
    ports: "every",
    failedClosed: `${what} not understood, so this rule denies everything`,
  };
}

/** S3.6: a policy whose subject or position is unknown is not enforced, and that is reported. */
export function notEnforced(context: LowerContext, path: Path, what: string): Lowered {
  context.warn({
    code: "TW2016",
    path,
    at: "key",
    message: `${what} is not understood; the policy is not enforced`,
    hint: "The object uses a newer API than this version of Tierwall supports. Upgrade Tierwall.",
  });
  return { rules: [], isolation: [] };
}
