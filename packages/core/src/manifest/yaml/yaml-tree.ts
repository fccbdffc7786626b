import {
  type Document as YamlDocument,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type Tags,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { isWithin, type Path, type Place } from "../../diagnostics/place.js";
import { commentsOf } from "./comments.js";
import type { Document, Json, ParsedDocument } from "../document.js";
import { firstTooDeep } from "./depth.js";

export interface Parsed {
  readonly documents: readonly ParsedDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A text to be read, and where its offsets are in the file. */
export interface YamlText {
  readonly text: string;
  readonly file: string;
  readonly place: (start: number, end: number) => Place;
}

/**
 * Documents of a YAML text, read as kubectl reads it: YAML 1.1 words (`on` is true), merge keys, no dates. The library keeps
 * a syntax tree, which has the place of everything and makes it slow.
 */
export function parseTrees({ text, file, place }: YamlText): Parsed {
  const deep = firstTooDeep(text);
  if (deep !== undefined) return { documents: [], diagnostics: [tooDeep(place(deep, deep + 1))] };
  let parsed: readonly YamlDocument.Parsed[];
  try {
    parsed = treesOf(text);
  } catch (cause) {
    return { documents: [], diagnostics: [unreadable(cause, place(0, 1))] };
  }

  const documents: ParsedDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [i, document] of parsed.entries()) {
    const start = parsed[i - 1]?.range[2] ?? 0;
    for (const error of firstOfEachLine(document.errors, text)) {
      const [start, end] = error.pos;
      if (error.code === "DUPLICATE_KEY") diagnostics.push(duplicateKey(text, start, place));
      else diagnostics.push(diagnostic("TW1001", plainError(error.message), { place: place(start, end) }));
    }
    if (document.errors.length > 0) continue;
    if (hasTooManyAliases(document)) {
      diagnostics.push(tooMuch(place(...spanOf(document.contents))));
      continue;
    }
    try {
      const value = toJson(document.toJS({ maxAliasCount: 1000 }));
      if (value !== null)
        documents.push({ value, ...placesIn({ text, file, place }, () => document, start) });
    } catch (cause) {
      diagnostics.push(unreadable(cause, place(...spanOf(brokenAlias(document) ?? document.contents))));
    }
  }
  return { documents, diagnostics };
}

/** The places of a text with one document that is known to be without errors. The tree is made on first use. */
export function placesInText(source: YamlText): Document {
  let tree: YamlDocument.Parsed | undefined;
  return placesIn(source, () => (tree ??= treesOf(source.text)[0]!));
}

function treesOf(text: string): readonly YamlDocument.Parsed[] {
  const all = parseAllDocuments(text, {
    version: "1.1",
    customTags: asKubernetesReads,
    logLevel: "silent",
    prettyErrors: false,
    stringKeys: false,
  });
  return Array.isArray(all) ? all : [];
}

/** The library looks for the anchor of each alias from the beginning of the document. */
const mostAliases = 1000;

function hasTooManyAliases(document: YamlDocument.Parsed): boolean {
  let count = 0;
  visit(document, { Alias: () => (++count > mostAliases ? visit.BREAK : undefined) });
  return count > mostAliases;
}

function tooMuch(place: Place): Diagnostic {
  return diagnostic(
    "TW1006",
    "the aliases of this document expand to too much data; write it without aliases",
    { place },
  );
}

function tooDeep(place: Place): Diagnostic {
  return diagnostic("TW1001", "this is nested too deeply to be read", { place });
}

/** At least one digit before the exponent: `e1` is a name, not a number. */
const floatWithExponent = /^[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)[eE][-+]?[0-9]+$/;
const plainFloat = /^[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*\.[0-9_]*)$/;

/** goyaml, which Kubernetes uses, knows neither dates nor base-60 numbers nor sets. */
function asKubernetesReads(tags: Tags): Tags {
  const unknown = ["timestamp", "binary", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`);
  return tags
    .filter((tag) => {
      if (typeof tag === "string") return true;
      const sexagesimal = "format" in tag && tag.format === "TIME";
      return !unknown.includes(tag.tag) && !sexagesimal;
    })
    .map((tag) => {
      if (typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:float" || !("test" in tag)) return tag;
      if (tag.test === undefined || tag.test.test(".inf")) return tag;
      return { ...tag, test: tag.test.test("1e3") ? floatWithExponent : plainFloat };
    });
}

/** Numbers that JSON cannot represent and keys that are not strings, converted as an API server does. */
function toJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value as Json;
}

/** `start` is where the document's part of the text begins. */
function placesIn({ text, file, place }: YamlText, tree: () => YamlDocument.Parsed, start = 0): Document {
  return {
    file,
    placeOf: (path) => place(...spanOf(locate(tree(), path).value)),
    placeOfKey: (path) => {
      const { key, value: node } = locate(tree(), path);
      return place(...spanOf(key ?? node));
    },
    writtenAt: (path) => {
      const { value: node } = locate(tree(), path);
      return isScalar(node) ? node.source : undefined;
    },
    commentsIn: (path) =>
      commentsOf(text, tree(), start)
        .filter((comment) => isWithin(comment.path, path))
        .map((comment) => ({ ...comment, path: comment.path.slice(path.length) })),
  };
}

interface Located {
  readonly key: Node | null;
  readonly value: Node | null;
}

/** Follows the path as far as it leads. */
function locate(document: YamlDocument.Parsed, path: Path): Located {
  let found: Located = { key: null, value: document.contents };
  for (const step of path) {
    const node = isAlias(found.value) ? (found.value.resolve(document) ?? null) : found.value;
    const next = isMap(node)
      ? fieldOf(node, step)
      : isSeq(node) && typeof step === "number"
        ? itemOf(node.items[step])
        : undefined;
    if (next === undefined) break;
    found = next;
  }
  return found;
}

function fieldOf(map: YAMLMap, step: string | number): Located | undefined {
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
  if (pair === undefined) return undefined;
  // An empty value (`ingress:`) has no text of its own worth pointing at.
  const key = pair.key as Node;
  const value = pair.value as Node | null;
  const empty = value === null || (isScalar(value) && value.value === null && value.source === "");
  return { key, value: empty ? key : value };
}

function itemOf(item: unknown): Located | undefined {
  if (item === undefined || item === null || isPair(item)) return undefined;
  return { key: null, value: item as Node };
}

function spanOf(node: Node | null): [number, number] {
  return [node?.range?.[0] ?? 0, node?.range?.[1] ?? 1];
}

/** The alias that leads nowhere, or into itself: the parser's own error has no position. */
function brokenAlias(document: YamlDocument.Parsed): Node | undefined {
  let broken: Node | undefined;
  visit(document, {
    Alias(_key, alias, path) {
      const target = alias.resolve(document);
      if (target !== undefined && !path.includes(target)) return undefined;
      broken = alias;
      return visit.BREAK;
    },
  });
  return broken;
}

function duplicateKey(text: string, start: number, place: YamlText["place"]): Diagnostic {
  const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(start, start + 200))?.[0]?.trim() ?? "";
  return diagnostic("TW1002", `\`${key}\` is a duplicate key in this mapping; keep one of them`, {
    place: place(start, start + key.length),
  });
}

/** One mistake causes many errors: the first of a line is reported, and only for a few lines. A line may have as many errors as characters. */
function firstOfEachLine(errors: readonly YAMLParseError[], text: string): readonly YAMLParseError[] {
  const firsts: YAMLParseError[] = [];
  const lines: (readonly [start: number, end: number])[] = [];
  for (const error of errors) {
    const offset = Math.max(0, error.pos[0] - 1);
    if (lines.some(([start, end]) => start <= offset && offset < end)) continue;
    const end = text.indexOf("\n", offset + 1);
    lines.push([text.lastIndexOf("\n", offset), end === -1 ? Infinity : end]);
    if (firsts.push(error) === 5) break;
  }
  return firsts;
}

function plainError(message: string): string {
  const sentence = message
    .split("\n")[0]!
    .replace(/\s+at line \d+, column \d+:?$/, "")
    .replace(/[.:]$/, "");
  return `this is not valid YAML: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

function unreadable(cause: unknown, place: Place): Diagnostic {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError) return tooDeep(place);
  if (/alias count/i.test(message)) return tooMuch(place);
  return diagnostic("TW1001", plainError(message), { place });
}
