import { policyKinds } from "../../dialects/registry.js";
import type { Document, Json, JsonObject } from "../../manifest/document.js";
import { isObject } from "../../manifest/document.js";
import { isListKind, listKindOf, type ListKind, typeOf } from "../../manifest/list.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import { type DocumentSpan, type ValueSpan, valueSpans } from "../../manifest/yaml/value-spans.js";
import type { TextSource } from "../../manifest/source.js";
import { kindOf } from "../object-kind.js";
import { keptClusterObject } from "./kept-cluster-object.js";
import { keptPolicy } from "./kept-policy.js";
import { connectivityTestKind, guaranteeKind } from "../test-kind.js";

/*
 * A repository contains other files than policies: Secrets, ConfigMaps, pods with passwords in their environment. A page that is shown to
 * others gets only what affects network policy. Everything else is blanked in place, so that lines and columns of the rest
 * stay what they are:
 *
 *     kind: Secret                 {"kind":"Secret"}
 *     metadata: {name: db}
 *     data: {password: aHVudGVy}
 *     ---                          ---
 *     kind: Pod                    kind: Pod
 *       env:                         env: null
 *       - {name: A, value: b}
 */

/** A text without what readers of the page do not need. */
export function servedText({ file, text }: TextSource): TextSource {
  if (text.length > longestWritten) return { file, text: rewritten(text, file) };
  const documents = valueSpans(text);
  if (documents === undefined) return { file, text: broken(1) };
  if (documents.some(({ isSound }) => !isSound)) return { file, text: withoutBroken(text, documents) };
  const blanked = apply(
    text,
    documents.flatMap((document) => blanksIn(document, text)),
  );
  return { file, text: isSame(text, blanked, file) ? blanked : rewritten(text, file) };
}

/** Longer texts are generated: of their objects, only the lines on which they begin stay. */
const longestWritten = 4 * 1024 * 1024;

interface Blank {
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly put: string;
}

function blanksIn({ value, ...document }: DocumentSpan, text: string): readonly Blank[] {
  if (value === undefined) return [];
  const found = blanksInObject(value, undefined, text);
  const [only] = found;
  // Comments on what is not shown are not shown either.
  if (found.length === 1 && only!.start === value.start && only!.end === value.end)
    return [...commentsAround(document, value, text), ...found];
  return found;
}

function* commentLines(start: number, end: number, text: string): Iterable<Blank> {
  for (const found of text.slice(start, end).matchAll(/(?:^|[ \t])#.*$/gm))
    yield { start: start + found.index, end: start + found.index + found[0].length, put: "" };
}

const commentsAround = (
  { start, end }: Pick<DocumentSpan, "start" | "end">,
  value: ValueSpan,
  text: string,
): readonly Blank[] => [...commentLines(start, value.start, text), ...commentLines(value.end, end, text)];

function blanksInObject(value: ValueSpan, list: ListKind, text: string): readonly Blank[] {
  const written = jsonOf(value, text);
  if (!isObject(written))
    return value.fields === undefined && value.items === undefined ? [whole(value, "null")] : [];
  const { apiVersion, kind } = typeOf(written, list);
  const items = value.fields?.find(({ key }) => key === "items")?.value.items;
  if (isListKind(kind) && items !== undefined)
    return items.flatMap((item) => blanksInObject(item, listKindOf(apiVersion, kind), text));
  const kept = keptOf({ ...written, apiVersion, kind });
  return kept === undefined ? [whole(value, placeholder(apiVersion, kind))] : differences(value, kept);
}

const whole = ({ start, end }: ValueSpan, put: string): Blank => ({ start, end, put });

/** Enough for it to be counted, or rejected, as what it is. */
const placeholder = (apiVersion: string, kind: string): string =>
  JSON.stringify(apiVersion === "" ? { kind } : { apiVersion, kind });

/** An object of a cluster without what readers of the page do not need; undefined for one of which nothing is kept. */
export function servedObject(object: JsonObject): JsonObject | undefined {
  return keptOf(withType(object));
}

function keptOf(object: JsonObject): JsonObject | undefined {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const { what } = kindOf({ apiVersion, kind, value: object, document: nowhere, path: [] });
  if (what === "other" || what === "mistaken") return undefined;
  return what === "cluster" ? keptClusterObject(object) : keptPolicy(object);
}

const noPlace = { file: "", line: 1, column: 1, length: 1 };
const nowhere: Document = {
  file: "",
  placeOf: () => noPlace,
  placeOfKey: () => noPlace,
  writtenAt: () => undefined,
  commentsIn: () => [],
};

/** The fields of a value that are not kept. */
function differences(value: ValueSpan, kept: Json): readonly Blank[] {
  if (value.items !== undefined)
    return value.items.flatMap((item, i) =>
      Array.isArray(kept) ? differences(item, (kept as Json[])[i] ?? null) : [],
    );
  if (value.fields === undefined || !isObject(kept)) return [];
  return value.fields.flatMap(({ key, after, value: inner }) => {
    if (Object.hasOwn(kept, key)) return differences(inner, kept[key]!);
    if (inner.end <= after || (harmless.has(key) && inner.text !== undefined)) return [];
    return [{ start: after, end: inner.end, put: nothingIn(inner.end - after) }];
  });
}

/** Of containers and addresses. */
const harmless: ReadonlySet<string> = new Set(["name", "type"]);

/** A value without information that fits: the rest of the line stays in place. */
function nothingIn(room: number): string {
  if (room >= 5) return " null";
  return room >= 3 ? ' ""' : "0".padStart(room);
}

/** From back to front, each with as many lines as it had, and as long a last one. */
function apply(text: string, blanks: readonly Blank[]): string {
  const parts: string[] = [];
  let end = text.length;
  for (const blank of blanks.toSorted((a, b) => b.start - a.start)) {
    parts.push(text.slice(blank.end, end), blankText(text.slice(blank.start, blank.end), blank.put));
    end = blank.start;
  }
  return [text.slice(0, end), ...parts.toReversed()].join("");
}

function blankText(was: string, put: string): string {
  const lines = was.split("\n");
  if (lines.length === 1) return put.padEnd(was.length);
  return `${put}${"\n".repeat(lines.length - 1)}${" ".repeat(lines.at(-1)!.length)}`;
}

/** Whether the rest has the same meaning: blanked parts may contain anchors, for example. */
function isSame(text: string, blanked: string, file: string): boolean {
  const [before, after] = [text, blanked].map((one) => {
    const { documents, diagnostics } = parseManifest(one, file);
    const { objects } = objectsOf(documents);
    return diagnostics.length > 0 ? undefined : objects.map(({ value }) => keptOf(withType(value)) ?? null);
  });
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after);
}

const withType = (value: JsonObject): JsonObject => ({ ...value, ...typeOf(value, undefined) });

/** Each object on the line on which it began. */
function rewritten(text: string, file: string): string {
  const { documents, diagnostics } = parseManifest(text, file);
  if (diagnostics.length > 0) return broken(diagnostics[0]!.place?.line ?? 1);
  let written = "";
  let line = 1;
  for (const { value, document, path } of objectsOf(documents).objects) {
    const object = withType(value);
    const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
    const begins = document.placeOf(path).line;
    const gap = Math.max(line === 1 ? 0 : 1, begins - line - 1);
    written += `${"\n".repeat(gap)}---\n${JSON.stringify(keptOf(object) ?? { apiVersion, kind })}`;
    line += gap + 1;
  }
  return `${written}\n`;
}

/** Of a text that cannot be read, the documents that contain only policies; for the others, a note that they cannot be read. */
function withoutBroken(text: string, documents: readonly DocumentSpan[]): string {
  const lines = text.split("\n");
  let isWithheld = false;
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = lines.findIndex((line, i) => i > at && /^---(\s|$)/.test(line));
    const part = lines.slice(at, next === -1 ? lines.length : next);
    const isPolicy = isOnlyPolicies(part.join("\n"));
    isWithheld ||= !isPolicy;
    shown.push(
      ...(isPolicy ? part : part.map((line, i) => (i === 0 && line.startsWith("---") ? "---" : ""))),
    );
    at += part.length;
  }
  const kept = shown.join("\n");
  if (!isWithheld || parseManifest(kept, "").diagnostics.length > 0) return kept;
  const first = documents.find(({ isSound }) => !isSound)!;
  return broken(text.slice(0, first.value?.start ?? first.start).split("\n").length);
}

/** A text that cannot be read, either. */
const broken = (line: number): string =>
  `${"\n".repeat(line - 1)}{"this cannot be read, and is not shown: run tierwall validate\n`;

const ownKinds: ReadonlySet<string> = new Set([
  ...policyKinds.map(({ kind }) => kind),
  connectivityTestKind.kind,
  guaranteeKind.kind,
]);

function isOnlyPolicies(text: string): boolean {
  // kubectl stores there what was applied.
  if (text.includes("last-applied-configuration")) return false;
  const kinds = [...text.matchAll(/(?:^|[\s{,"'])kind["']?\s*:\s*["']?([^\s"',}]*)/g)].map(
    ([, kind]) => kind!,
  );
  return kinds.length === 0
    ? text.trim() === "" || /^---\s*$/.test(text)
    : kinds.every((kind) => ownKinds.has(kind));
}

/** A value as it is written; of single values, only texts are asked for. */
function jsonOf({ fields, items, text: word, start, end }: ValueSpan, text: string): Json {
  if (fields !== undefined)
    return Object.fromEntries(fields.map(({ key, value }) => [key, jsonOf(value, text)]));
  if (items !== undefined) return items.map((item) => jsonOf(item, text));
  return word ?? text.slice(start, end);
}
