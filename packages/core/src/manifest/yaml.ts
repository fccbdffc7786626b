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
  type YAMLMap,
} from "yaml";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path } from "../diagnostics/place.js";
import type { Document, Json } from "./document.js";
import { Lines } from "./lines.js";

export interface Parsed {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Documents of a YAML text, read as kubectl reads it: YAML 1.1 words (`on` is true), merge keys, no dates. */
export function parseYaml(text: string, file: string): Parsed {
  const lines = new Lines(file, text);
  let parsed: readonly YamlDocument.Parsed[];
  try {
    const all = parseAllDocuments(text, {
      version: "1.1",
      customTags: asKubernetesReads,
      logLevel: "silent",
      prettyErrors: false,
      stringKeys: false,
    });
    parsed = Array.isArray(all) ? all : [];
  } catch (cause) {
    return { documents: [], diagnostics: [unreadable(cause, lines.place(0, 1))] };
  }

  const documents: Document[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of parsed) {
    for (const error of document.errors) {
      const place = lines.place(error.pos[0], error.pos[1]);
      if (error.code === "DUPLICATE_KEY") diagnostics.push(duplicateKey(text, error.pos, place));
      else diagnostics.push(diagnostic("TW1001", plainError(error.message), { place }));
    }
    if (document.errors.length > 0) continue;
    try {
      const value = toJson(document.toJS({ maxAliasCount: 1000 }));
      if (value !== null) documents.push(withPlaces(document, value, file, lines));
    } catch (cause) {
      diagnostics.push(unreadable(cause, lines.place(...spanOf(document.contents))));
    }
  }
  return { documents, diagnostics };
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

/** Numbers that JSON cannot hold and keys that are not text, brought to what an API server would see. */
function toJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value as Json;
}

function withPlaces(document: YamlDocument.Parsed, value: Json, file: string, lines: Lines): Document {
  return {
    file,
    value,
    placeOf: (path) => lines.place(...spanOf(locate(document, path).value)),
    placeOfKey: (path) => {
      const { key, value: node } = locate(document, path);
      return lines.place(...spanOf(key ?? node));
    },
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

function duplicateKey(
  text: string,
  [start, end]: readonly [number, number],
  place: Diagnostic["place"],
): Diagnostic {
  const key = /^[^:\n]*/.exec(text.slice(start, Math.max(end, start + 1) + 80))?.[0]?.trim() ?? "";
  return diagnostic(
    "TW1002",
    `\`${key}\` stands twice in one mapping; keep one of them`,
    place === undefined ? {} : { place },
  );
}

function plainError(message: string): string {
  const sentence = message
    .split("\n")[0]!
    .replace(/\s+at line \d+, column \d+:?$/, "")
    .replace(/[.:]$/, "");
  return `this is not valid YAML: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

function unreadable(cause: unknown, place: NonNullable<Diagnostic["place"]>): Diagnostic {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError)
    return diagnostic("TW1001", "this is nested too deeply to be read", { place });
  if (/alias count/i.test(message))
    return diagnostic("TW1006", "the aliases of this document expand to too much; write it out", { place });
  return diagnostic("TW1001", plainError(message), { place });
}
