import { formatPath, parsePath, type Path } from "../../diagnostics/place.js";
import { visible } from "../../diagnostics/visible.js";
import { readPolicy } from "../../dialects/read.js";
import type { LowerOptions } from "../../dialects/dialect.js";
import { isObject, type Json, type JsonObject, valueAt } from "../../manifest/document.js";
import { quoted } from "../../policy/describe.js";
import { formatPolicy, type PolicyRef, type Rule } from "../../policy/model.js";
import { kindOf } from "../../state/object-kind.js";
import type { PolicyDefinition } from "../../state/state.js";
import { shapeOf, withValueAt } from "./shape.js";

/** A rule of the input: where it is in which policy. */
export interface RuleRef {
  readonly definition: PolicyDefinition;
  readonly path: Path;
}

/** A rule, and the rules of the input that it is made of. It keeps the name of the first. */
export interface DraftRule {
  readonly value: JsonObject;
  readonly origins: readonly [RuleRef, ...RuleRef[]];
}

/** One thing that was done, and why nothing changes. */
export interface Step {
  readonly kind: "remove-rule" | "remove-policy" | "merge-rules" | "merge-entries" | "merge-policies";
  readonly policy: PolicyRef;
  /** `rule 2 "web"`, as people count the rules of the input; absent for a policy. */
  readonly rule?: string;
  /** `rule 3`, `NetworkPolicy shop/b`: what became a part of it. */
  readonly merged?: readonly string[];
  readonly why: string;
}

/** A policy that is being minimised. */
export interface Draft {
  /** The policies of the input that it is made of. It keeps the name of the first. */
  readonly origins: readonly [PolicyDefinition, ...PolicyDefinition[]];
  /** As it is now. */
  readonly definition: PolicyDefinition;
  readonly lists: readonly DraftList[];
  readonly steps: readonly Step[];
}

export interface DraftList {
  readonly path: Path;
  readonly rules: readonly DraftRule[];
}

/** Fields that API servers and kubectl write: the author did not write them. */
const servedFields = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
];
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** An object as its author would write it. */
export function authored(value: JsonObject): JsonObject {
  const { status: _, ...rest } = value;
  if (!isObject(rest.metadata)) return rest;
  const metadata = Object.entries(rest.metadata).flatMap(([key, field]): (readonly [string, Json])[] => {
    if (servedFields.includes(key)) return [];
    if (key !== "annotations" || !isObject(field) || !(lastApplied in field)) return [[key, field]];
    const { [lastApplied]: __, ...annotations } = field;
    return Object.keys(annotations).length === 0 ? [] : [[key, annotations]];
  });
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

/** Undefined where the policy has parts that are not understood, or that its API does not accept (S3.6). */
export function draftOf(definition: PolicyDefinition, options: LowerOptions): Draft | undefined {
  const read = readAgain(definition, authored(definition.object.value), options);
  if (read === undefined) return undefined;
  const isActive = (path: Path) =>
    read.lowered.rules.some(({ rule }) => rule.origin.path.startsWith(`${formatPath(path)}[`));
  const lists = shapeOf(definition.policy.dialect)
    .lists(read.object.value)
    .filter(isActive)
    .map((path): DraftList => {
      const values = valueAt(read.object.value, path) as readonly JsonObject[];
      return {
        path,
        rules: values.map((value, i) => ({ value, origins: [{ definition, path: [...path, i] }] })),
      };
    });
  return { origins: [definition], definition: read, lists, steps: [] };
}

function readAgain(
  { object }: PolicyDefinition,
  value: JsonObject,
  options: LowerOptions,
): PolicyDefinition | undefined {
  const edited = { ...object, apiVersion: object.apiVersion, kind: object.kind, value };
  const kind = kindOf(edited);
  if (kind.what !== "policy") return undefined;
  const { policy, lowered, diagnostics } = readPolicy(kind.kind, edited, "file", options);
  if (lowered === undefined || diagnostics.some(({ severity }) => severity === "error")) return undefined;
  return { policy, object: edited, lowered };
}

/**
 * The draft with other rules. Undefined where its API does not accept them, such as too many peers, or where its pods would no longer be
 * isolated as they are.
 */
export function withLists(
  draft: Draft,
  lists: readonly DraftList[],
  steps: readonly Step[],
  options: LowerOptions,
): Draft | undefined {
  let value: Json | undefined = draft.definition.object.value;
  for (const { path, rules } of lists)
    value = withValueAt(
      value,
      path,
      rules.map((rule) => rule.value),
    );
  const made = (written: Json | undefined): Draft | undefined => {
    const definition = readAgain(draft.definition, written as JsonObject, options);
    if (definition === undefined || isolationKey(definition) !== isolationKey(draft.definition))
      return undefined;
    return { ...draft, definition, lists, steps: [...draft.steps, ...steps] };
  };
  const found = made(value);
  if (found !== undefined || draft.definition.policy.dialect !== "network-policy") return found;
  // S2.1: without `policyTypes`, an egress rule makes the policy apply to egress.
  const types = draft.definition.lowered.isolation.map(({ direction }) =>
    direction === "ingress" ? "Ingress" : "Egress",
  );
  return made(withValueAt(value, ["spec", "policyTypes"], types));
}

/** S1.2: which directions of its pods a policy isolates, in which tier. */
export const isolationKey = ({ lowered }: PolicyDefinition): string =>
  lowered.isolation
    .map(({ tier, direction, subject }) => JSON.stringify([tier, direction, subject]))
    .toSorted()
    .join();

/** The written rule that a rule of a draft comes from. */
export function writtenRule(draft: Draft, rule: Rule): DraftRule | undefined {
  const path = parsePath(rule.origin.path);
  const list = formatPath(path.slice(0, -1));
  return draft.lists.find((one) => formatPath(one.path) === list)?.rules[Number(path.at(-1))];
}

/** `ingress rule 2 "web"`: as in the input, counted from one; with its policy, if that is not the one that is meant anyway. */
export function nameOfRule({ path, definition }: RuleRef, meant = definition): string {
  const name = valueAt(definition.object.value, [...path, "name"]);
  const list = formatPath(path.slice(0, -1)).replace(/^spec\./, "");
  const called = typeof name === "string" && name !== "" ? ` ${quoted(visible(name))}` : "";
  const owner = definition === meant ? "" : ` of ${formatPolicy(definition.policy)}`;
  return `${list} rule ${Number(path.at(-1)) + 1}${called}${owner}`;
}

export const ruleCount = ({ lists }: Draft): number =>
  lists.reduce((sum, { rules }) => sum + rules.length, 0);
