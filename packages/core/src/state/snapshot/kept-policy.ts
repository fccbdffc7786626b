import type { PolicyKind } from "../../dialects/dialect.js";
import { given } from "../../diagnostics/given.js";
import { isObject, type Json, type JsonObject } from "../../manifest/document.js";
import { annotationComplaints, ignoreAnnotation, ownAnnotations } from "../../policy/annotations.js";
import type { Complaint, Format, Schema } from "../../schema/schema.js";
import type { Words } from "./words.js";

/** The whole spec of a policy, also unknown fields; not what other tools wrote to it. */
export function keptPolicy(object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  const { name, namespace, uid, annotations } = isObject(metadata) ? metadata : {};
  const own = ownAnnotations(isObject(annotations) ? annotations : {});
  return {
    apiVersion: apiVersion!,
    kind: kind!,
    metadata: {
      ...given({ name, namespace, uid }),
      ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
    },
    ...rest,
  };
}

/*
 * A policy, without what identifies its owner: the schema of its API defines what each string is. What an API does not know stays
 * unknown, and what is invalid stays invalid: both fail closed as before (S3.6).
 */
export function redactedPolicy(object: JsonObject, kind: PolicyKind, words: Words): JsonObject {
  const { apiVersion, kind: name, metadata, ...rest } = keptPolicy(object);
  const { schema } = kind.choose?.(object) ?? kind.spellings[0];
  const redacted = redactMetadata(metadata as JsonObject, kind, words);
  const fields = bySchema(rest, schema, words) as JsonObject;
  return { apiVersion: apiVersion!, kind: name!, metadata: redacted, ...fields };
}

/** No schema defines its strings, so none is kept: then it may apply to every pod of its namespace (S9.4). */
export function redactedForeign(object: JsonObject, words: Words): JsonObject {
  const { apiVersion, kind, metadata } = keptPolicy(object);
  const redacted = redactMetadata(metadata as JsonObject, { kind: "" }, words);
  return { apiVersion: apiVersion!, kind: kind!, metadata: redacted };
}

function redactMetadata(metadata: JsonObject, { kind }: Pick<PolicyKind, "kind">, words: Words): JsonObject {
  const { name, namespace, uid, annotations } = metadata;
  const { [ignoreAnnotation]: _, ...plain } = isObject(annotations) ? annotations : {};
  // There is only one object of this kind, and the API defines its name.
  const isFixed = kind === "BaselineAdminNetworkPolicy" && name === "default";
  return {
    ...(typeof name === "string" ? { name: isFixed ? name : words.policyName(name) } : {}),
    ...(typeof namespace === "string" ? { namespace: words.word(namespace) } : {}),
    ...(uid === undefined ? {} : { uid: "redacted" }),
    ...(Object.keys(plain).length === 0 ? {} : { annotations: redactAnnotations(plain, words) }),
  };
}

/** Values of Tierwall's annotations are public. */
function redactAnnotations(annotations: JsonObject, words: Words): JsonObject {
  const broken = new Set(annotationComplaints(annotations).map(({ key }) => key));
  return mapEntries(annotations, (key, value) => [key, broken.has(key) ? unknown(value, words) : value]);
}

function bySchema(value: Json, schema: Schema, words: Words): Json {
  if (schema.type === "string" && typeof value === "string") return redactText(value, schema, words);
  if (schema.type === "int-or-string" && typeof value === "string")
    return inFormat(value, schema.format, words);
  if (schema.type === "list" && Array.isArray(value))
    return value.map((item: Json) => bySchema(item, schema.items, words));
  if (schema.type === "map" && isObject(value)) {
    const redacted = (text: Json) =>
      typeof text === "string" ? inFormat(text, schema.values, words) : unknown(text, words);
    return mapEntries(value, (key, text) => [inFormat(key, schema.keys, words), redacted(text)]);
  }
  if (schema.type === "object" && isObject(value))
    return mapEntries(value, (field, inner) => {
      const known = Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
      return [field, known === undefined ? unknown(inner, words) : bySchema(inner, known, words)];
    });
  return unknown(value, words);
}

const mapEntries = (object: JsonObject, change: (key: string, value: Json) => [string, Json]): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => change(key, value)));

function redactText(text: string, schema: Schema & { type: "string" }, words: Words): string {
  if (schema.values !== undefined) return schema.values.includes(text) ? text : words.word(text);
  const redacted = schema.format === undefined ? words.word(text) : inFormat(text, schema.format, words);
  const { maxLength = Infinity } = schema;
  return text.length > maxLength ? redacted.padEnd(maxLength + 1, "x") : redacted;
}

/** Not hidden: addresses, ports, and words of an API. */
const openFormats: ReadonlySet<string> = new Set([
  "cidr",
  "cidr-or-address",
  "port-name",
  "cilium-port",
  "cilium-entity",
  "icmp-type",
]);
const keyFormats: ReadonlySet<string> = new Set(["label-key", "cilium-label-key"]);
const domainFormats: ReadonlySet<string> = new Set([
  "domain-name",
  "cilium-match-name",
  "cilium-match-pattern",
]);

function inFormat(text: string, format: Format, words: Words): string {
  // No format takes an exclamation mark.
  if (format.check(text).some(isUnreadable)) return `!${words.word(text)}`;
  if (openFormats.has(format.name)) return text;
  if (keyFormats.has(format.name)) return words.labelKey(text);
  return domainFormats.has(format.name) ? words.domain(text) : words.word(text);
}

const isUnreadable = ({ readable }: Complaint): boolean => readable !== true;

/** Strings and names of fields may be private; numbers and booleans are not. */
function unknown(value: Json, words: Words): Json {
  if (typeof value === "string") return words.word(value);
  if (Array.isArray(value)) return value.map((item: Json) => unknown(item, words));
  if (!isObject(value)) return value;
  return mapEntries(value, (field, inner) => [words.word(field), unknown(inner, words)]);
}
