import type { Path } from "../diagnostics/place.js";
import type { Document, Json } from "./document.js";
import { Lines } from "./lines.js";

/*
 * JSON is parsed by the JavaScript engine, some forty times faster than YAML, and positions are found by reading the
 * text again when a diagnostic or a rule needs one. Snapshots of large clusters are JSON.
 */

/** The documents of a JSON text or of a stream of them; undefined if it is not JSON. */
export function parseJson(text: string, file: string): Document[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const lines = new Lines(file, text);
  try {
    return [document(JSON.parse(text) as Json, file, text, skipSpace(text, 0), lines)];
  } catch {
    return parseStream(text, file, lines);
  }
}

/** Several documents, one behind the other, as `jq '.items[]'` writes them. */
function parseStream(text: string, file: string, lines: Lines): Document[] | undefined {
  const documents: Document[] = [];
  try {
    for (let start = skipSpace(text, 0); start < text.length; ) {
      const end = skipValue(text, start);
      documents.push(document(JSON.parse(text.slice(start, end)) as Json, file, text, start, lines));
      start = skipSpace(text, end);
    }
  } catch {
    return undefined;
  }
  return documents;
}

function document(value: Json, file: string, text: string, start: number, lines: Lines): Document {
  // Positions in large files are asked for again and again: what a list or an object holds is found once.
  const seen: Found = { items: new Map(), fields: new Map() };
  const placeAt = (path: Path, what: "key" | "value") => {
    const found = locate(text, start, path, seen);
    const at = what === "key" && found.key !== undefined ? found.key : found.value;
    return lines.place(at, skipValue(text, at));
  };
  return {
    file,
    value,
    placeOf: (path) => placeAt(path, "value"),
    placeOfKey: (path) => placeAt(path, "key"),
    writtenAt: (path) => {
      const { value: at } = locate(text, start, path, seen);
      return text.slice(at, Math.min(skipValue(text, at), at + longestWritten));
    },
  };
}

/** More is not worth repeating in a message. */
const longestWritten = 60;

/** What was found inside lists and objects that were looked at, by the offset where they begin. */
interface Found {
  readonly items: Map<number, readonly number[]>;
  readonly fields: Map<number, ReadonlyMap<string, Field>>;
}

interface Field {
  readonly key: number;
  readonly value: number;
}

/** Where the key and the value at `path` begin; those of the nearest enclosing value where the path leads nowhere. */
function locate(
  text: string,
  start: number,
  path: Path,
  found: Found,
): { key: number | undefined; value: number } {
  let at: { key: number | undefined; value: number } = { key: undefined, value: start };
  for (const step of path) {
    if (typeof step === "number") {
      const items = found.items.get(at.value) ?? itemStarts(text, at.value);
      found.items.set(at.value, items);
      if (items[step] === undefined) break;
      at = { key: undefined, value: items[step] };
    } else {
      const fields = found.fields.get(at.value) ?? fieldStarts(text, at.value);
      found.fields.set(at.value, fields);
      const field = fields.get(step);
      if (field === undefined) break;
      at = field;
    }
  }
  return at;
}

function itemStarts(text: string, list: number): readonly number[] {
  if (text[list] !== "[") return [];
  const starts: number[] = [];
  let at = skipSpace(text, list + 1);
  while (text[at] !== "]" && at < text.length) {
    starts.push(at);
    at = skipComma(text, skipValue(text, at));
  }
  return starts;
}

function fieldStarts(text: string, object: number): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  if (text[object] !== "{") return fields;
  let at = skipSpace(text, object + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    // The last of equal keys wins, as in JSON.parse and in Kubernetes.
    fields.set(JSON.parse(text.slice(at, keyEnd)) as string, { key: at, value });
    at = skipComma(text, skipValue(text, value));
  }
  return fields;
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
  return at;
}

function skipComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === "," ? skipSpace(text, next + 1) : next;
}

function skipString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** The end of the value that begins here; nesting is counted, not recursed into. */
function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    let end = at;
    while (end < text.length && !",]} \t\n\r".includes(text[end]!)) end++;
    return Math.max(end, at + 1);
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (c === '"') i = skipString(text, i) - 1;
    else if (c === "{" || c === "[") depth++;
    else if ((c === "}" || c === "]") && --depth === 0) return i + 1;
  }
  return text.length;
}
