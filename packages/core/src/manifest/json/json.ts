import { getOrInsert } from "../../collections/maps.js";
import type { Path, Place } from "../../diagnostics/place.js";
import type { Comment, Document, Json, ParsedDocument } from "../document.js";
import { type Beginning, Lines } from "../lines.js";

/*
 * JSON is parsed by the JavaScript engine, some forty times faster than YAML, and positions are found by reading the
 * text again when a diagnostic or a rule needs one. Snapshots of large clusters are JSON.
 */

/** The documents of a JSON text or of a stream of them; undefined if it is not JSON. */
export function parseJson(text: string, file: string): ParsedDocument[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const lines = new Lines(file, text);
  try {
    const value = JSON.parse(text) as Json;
    return [{ value, ...placesIn(file, text, skipSpace(text, 0), lines) }];
  } catch {
    return parseStream(text, file, lines);
  }
}

/** Several documents, one after the other, as `jq '.items[]'` writes them. */
function parseStream(text: string, file: string, lines: Lines): ParsedDocument[] | undefined {
  const documents: ParsedDocument[] = [];
  try {
    for (let start = skipSpace(text, 0); start < text.length; ) {
      const end = skipValue(text, start);
      const value = JSON.parse(text.slice(start, end)) as Json;
      documents.push({ value, ...placesIn(file, text, start, lines) });
      start = skipSpace(text, end);
    }
  } catch {
    return undefined;
  }
  return documents;
}

/** The places of one JSON value, read from the middle of a file. */
export class ValuePlaces implements Document {
  private found: Document | undefined;

  constructor(
    readonly file: string,
    private readonly text: string,
    private readonly beginning: Beginning,
  ) {}

  placeOf(path: Path): Place {
    return this.places().placeOf(path);
  }

  placeOfKey(path: Path): Place {
    return this.places().placeOfKey(path);
  }

  writtenAt(path: Path): string | undefined {
    return this.places().writtenAt(path);
  }

  /** JSON has none. */
  commentsIn(): readonly Comment[] {
    return [];
  }

  private places(): Document {
    const { file, text, beginning } = this;
    return (this.found ??= placesIn(file, text, 0, new Lines(file, text, beginning)));
  }
}

function placesIn(file: string, text: string, start: number, lines: Lines): Document {
  // Positions in large files are asked for again and again: the content of a list or an object is found once.
  const seen: Found = { items: new Map(), fields: new Map() };
  const placeAt = (path: Path, what: "key" | "value") => {
    const found = locate(text, start, path, seen);
    const at = what === "key" && found.key !== undefined ? found.key : found.value;
    return lines.place(at, skipValue(text, at));
  };
  return {
    file,
    placeOf: (path) => placeAt(path, "value"),
    placeOfKey: (path) => placeAt(path, "key"),
    writtenAt: (path) => {
      const { value: at } = locate(text, start, path, seen);
      return text.slice(at, Math.min(skipValue(text, at), at + longestWritten));
    },
    commentsIn: () => [],
  };
}

/** The most that a message repeats. */
const longestWritten = 60;

/** The parts of lists and objects that were read, by the offset where they begin. */
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
      const items = getOrInsert(found.items, at.value, () => itemStarts(text, at.value));
      if (items[step] === undefined) break;
      at = { key: undefined, value: items[step] };
    } else {
      const fields = getOrInsert(found.fields, at.value, () => fieldStarts(text, at.value));
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

export function skipSpace(text: string, at: number): number {
  for (; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
  }
  return at;
}

function skipComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === "," ? skipSpace(text, next + 1) : next;
}

function skipString(text: string, at: number): number {
  return stringEnd(text, at) ?? text.length;
}

/** The end of the value that begins here, as far as the text goes. */
function skipValue(text: string, at: number): number {
  return valueEnd(text, at) ?? text.length;
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the string that begins here ends; undefined where the text ends before it does. */
function stringEnd(text: string, at: number): number | undefined {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return undefined;
}

const inNumberOrWord = /[-+.\w]*/y;

/** Where the value that begins here ends; undefined where the text ends before it does. Nesting is counted, not recursed into. */
export function valueEnd(text: string, at: number): number | undefined {
  if (text[at] === '"') return stringEnd(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    inNumberOrWord.lastIndex = at + 1;
    const end = inNumberOrWord.test(text) ? inNumberOrWord.lastIndex : text.length;
    return end >= text.length ? undefined : end;
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) {
      const end = stringEnd(text, i);
      if (end === undefined) return undefined;
      i = end - 1;
    } else if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return i + 1;
  }
  return undefined;
}
