import type { ObjectSchema, Path, Schema } from "@tierwall/core/manifest";
import type { ClusterWords, Labelled, LabelWords } from "./cluster-words.js";
import { type Cursor, cursorAt } from "./cursor.js";
import { type EditedKind, policyKinds } from "./kinds.js";
import { kindsOf, schemaAt, shapesOf, typeWords } from "./schema-at.js";

export interface Completion {
  readonly label: string;
  /** What is written; the label itself where this is not given. */
  readonly apply?: string;
  /** In a few words, next to the label. */
  readonly detail?: string;
  /** In sentences, for the selected option. */
  readonly info?: string;
  readonly type: "field" | "value" | "label" | "name";
  readonly isRequired?: true;
}

export interface Completions {
  /** What is replaced by the one that is chosen. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
}

/** What can be written at a place of a text, by our own schemas and by what the cluster has. */
export function completionsAt(
  text: string,
  offset: number,
  words: ClusterWords,
  known: readonly EditedKind[] = policyKinds,
): Completions | undefined {
  const cursor = cursorAt(text, offset);
  if (cursor === undefined) return undefined;
  const options = optionsFor(cursor, text, offset, words, known);
  return options.length === 0 ? undefined : { from: cursor.from, to: cursor.to, options };
}

function optionsFor(
  cursor: Cursor,
  text: string,
  offset: number,
  words: ClusterWords,
  known: readonly EditedKind[],
): readonly Completion[] {
  const { at, path, top } = cursor;
  if (path.length === 1 && at === "value") {
    if (path[0] === "kind") return kindOptions(top, known);
    if (path[0] === "apiVersion") return apiVersionOptions(top, known);
  }
  if (path.length === 0 && !top.has("kind")) return headOptions(cursor);
  const schema = schemaAt(shapesOf(top, text, known), path);
  if (schema === undefined) return [];
  if (at === "value") return valueOptions(schema, path, text.slice(0, offset), words);
  switch (schema.type) {
    case "object":
      return fieldOptions(schema, cursor);
    case "map":
      return labelKeys(labelsAt(path, words)).map((option) => ({
        ...option,
        apply: `${quoted(option.label)}: `,
      }));
    case "list":
      return cursor.column === undefined
        ? []
        : [{ label: "-", apply: "- ", detail: "an item", type: "value" }];
    case "any":
    case "boolean":
    case "int-or-string":
    case "integer":
    case "string":
      return valueOptions(schema, path, text.slice(0, offset), words);
  }
}

function kindOptions(top: ReadonlyMap<string, string>, known: readonly EditedKind[]): readonly Completion[] {
  const kinds = kindsOf(new Map([["apiVersion", top.get("apiVersion") ?? ""]]), known);
  const names = [...new Set(kinds.map(({ kind }) => kind))];
  return names.map((label) => {
    const called = kinds.filter(({ kind }) => kind === label);
    return {
      label,
      detail: [...new Set(called.flatMap(({ apiVersions }) => apiVersions))].join(" or "),
      info: called[0]!.description,
      type: "value",
    };
  });
}

function apiVersionOptions(
  top: ReadonlyMap<string, string>,
  known: readonly EditedKind[],
): readonly Completion[] {
  const kinds = kindsOf(new Map([["kind", top.get("kind") ?? ""]]), known);
  const versions = new Set((kinds.length > 0 ? kinds : known).flatMap(({ apiVersions }) => apiVersions));
  return [...versions].map((label) => ({
    label,
    detail: [
      ...new Set(known.filter(({ apiVersions }) => apiVersions.includes(label)).map(({ kind }) => kind)),
    ].join(", "),
    type: "value",
  }));
}

/** Before the kind is known, only that can be asked for. */
function headOptions({ keys }: Cursor): readonly Completion[] {
  const info = { apiVersion: "The API group and version.", kind: "The kind of object." };
  return (["apiVersion", "kind"] as const)
    .filter((label) => !keys.includes(label))
    .map((label) => ({ label, apply: `${label}: `, info: info[label], type: "field", isRequired: true }));
}

function fieldOptions(schema: ObjectSchema, { keys, column }: Cursor): readonly Completion[] {
  const excluded = new Set(keys);
  for (const constraint of schema.constraints ?? [])
    if (
      (constraint.kind === "exactly-one" || constraint.kind === "at-most-one") &&
      constraint.of.some((key) => keys.includes(key))
    )
      for (const key of constraint.of) excluded.add(key);
  return Object.entries(schema.fields).flatMap(([label, inner]): Completion[] =>
    excluded.has(label) || isSetByServers(inner)
      ? []
      : [
          {
            label,
            apply: opening(label, inner, column),
            detail: `${typeWords(inner)}${inner.required ? ", required" : ""}`,
            info: inner.description,
            type: "field",
            ...(inner.required ? { isRequired: true } : {}),
          },
        ],
  );
}

/** Users do not write these. */
const isSetByServers = ({ description }: Schema): boolean =>
  /^(Set by |What implementations report)/.test(description);

/** A field as far as it can be written without knowing more: down to where its content begins. */
function opening(label: string, schema: Schema, column: number | undefined): string {
  if (column === undefined) return `${label}: `;
  const indent = " ".repeat(column);
  if (schema.type === "object" || schema.type === "map") return `${label}:\n${indent}  `;
  return schema.type === "list" ? `${label}:\n${indent}- ` : `${label}: `;
}

function valueOptions(
  schema: Schema,
  path: Path,
  before: string,
  words: ClusterWords,
): readonly Completion[] {
  const value = (label: string, detail?: string): Completion => ({
    label,
    type: "value",
    ...(detail === undefined ? {} : { detail }),
  });
  const last = path.at(-1);
  const labelled = labelsAt(path, words);
  if (path.at(-2) === "matchLabels" && typeof last === "string") return labelValues(labelled, last);
  if (path.at(-3) === "matchExpressions" && last === "key") return labelKeys(labelled);
  if (path.at(-2) === "values" && path.at(-4) === "matchExpressions")
    return labelValues(labelled, lastKey(before));
  if (isLabelKeyList(path.at(-2))) return labelKeys(words.labels.namespaces);
  if (path.join(".") === "metadata.namespace")
    return words.namespaces.map((label) => ({ label, type: "name" }));
  switch (schema.type) {
    case "boolean":
      return schema.only ? [value("true")] : [value("true"), value("false")];
    case "string":
      if (schema.values !== undefined)
        return schema.values.map((one) => value(one, one === schema.default ? "default" : undefined));
      if (schema.format?.name === "namespace-name")
        return words.namespaces.map((label) => ({ label, type: "name" }));
      return schema.format?.name === "port-name" || /named ?port/i.test(String(last)) ? portNames(words) : [];
    case "int-or-string":
      return portNames(words);
    case "list":
      return schema.items.type === "string" && schema.items.values !== undefined
        ? schema.items.values.map((one) => value(`[${one}]`))
        : [];
    case "object":
    case "map":
      return [value("{}", "everything")].filter(() => /selector|namespaces|pods/i.test(String(last)));
    case "any":
    case "integer":
      return [];
  }
}

const portNames = ({ portNames: names }: ClusterWords): readonly Completion[] =>
  names.map((label) => ({ label, detail: "port of the cluster", type: "name" }));

const isLabelKeyList = (step: string | number | undefined): boolean =>
  step === "sameLabels" || step === "notSameLabels";

/** The key of the condition whose values are being written: mostly the last one above. */
const lastKey = (before: string): string => /.*\bkey:\s*["']?([\w./-]+)/s.exec(before)?.[1] ?? "";

const labelledBy: Readonly<Record<string, Labelled>> = {
  namespaces: "namespaces",
  namespacesWith: "namespaces",
  // Of an assumption, which mostly is about namespaces.
  assuming: "namespaces",
  namespaceSelector: "namespaces",
  pods: "pods",
  podSelector: "pods",
  endpointSelector: "pods",
  fromEndpoints: "pods",
  toEndpoints: "pods",
  nodes: "nodes",
  nodeSelector: "nodes",
};

/** Which labels a selector is about: the nearest field around it determines it. */
function labelsAt(path: Path, { labels }: ClusterWords): LabelWords {
  const field = path.toReversed().find((step) => typeof step === "string" && Object.hasOwn(labelledBy, step));
  return labels[labelledBy[field ?? "pods"]!];
}

const labelKeys = (labels: LabelWords): readonly Completion[] =>
  [...labels].map(([label, values]) => ({
    label,
    detail: values.length > 3 ? `${values.slice(0, 3).join(", ")}, …` : values.join(", "),
    type: "label",
  }));

const labelValues = (labels: LabelWords, key: string): readonly Completion[] =>
  (labels.get(key) ?? []).map((label) => ({ label, apply: quoted(label), type: "label" }));

/** YAML would take it for a number, a truth value or nothing. */
const quoted = (text: string): string =>
  /^$|^[-+.\d]|^(true|false|yes|no|on|off|null|y|n|~)$|[:#]\s|[{}[\],&*!|>'"%@`]/i.test(text)
    ? `"${text}"`
    : text;
