import type { Json, ParsedDocument } from "../document.js";
import { type Beginning, Lines } from "../lines.js";
import { placesInPlainText } from "./plain-places.js";
import { readPlainYaml } from "./plain-yaml.js";
import { type Parsed, parseTrees, type YamlText } from "./yaml-tree.js";

/** Documents of a YAML text. Those that are plain are read quickly, others by the library: the outcome is the same. */
export function parseYaml(text: string, file: string): Parsed {
  const lines = new Lines(file, text);
  const place = (start: number, end: number) => lines.place(start, end);
  return separately(text, file, place) ?? parseTrees({ text, file, place });
}

/** One part of a longer text: an item of a list, or a document. */
export function parseYamlPart(text: string, file: string, beginning: Beginning): Parsed {
  return parseDocument(part(text, file, beginning));
}

/** The same where the plain reader has read it already. */
export function plainYamlPart(value: Json, text: string, file: string, beginning: Beginning): ParsedDocument {
  return { value, ...placesInPlainText(part(text, file, beginning)) };
}

function part(text: string, file: string, beginning: Beginning): YamlText {
  const lines = new Lines(file, text, beginning);
  return { text, file, place: (start, end) => lines.place(start, end) };
}

/** Document by document; undefined where one has errors, which may have to do with the others. */
function separately(text: string, file: string, place: YamlText["place"]): Parsed | undefined {
  // Directives, and markers that end a document, reach from one into the next.
  if (/^(?:%|\.\.\.)/m.test(text)) return undefined;
  const documents: ParsedDocument[] = [];
  for (const [start, end] of documentSpans(text)) {
    const part: YamlText = {
      text: text.slice(start, end),
      file,
      place: (from, to) => place(start + from, start + to),
    };
    const parsed = parseDocument(part);
    if (parsed.diagnostics.length > 0) return undefined;
    documents.push(...parsed.documents);
  }
  return { documents, diagnostics: [] };
}

function parseDocument(part: YamlText): Parsed {
  const value = readPlainYaml(part.text);
  if (value === undefined) return parseTrees(part);
  return { documents: value === null ? [] : [{ value, ...placesInPlainText(part, value) }], diagnostics: [] };
}

/** Between the markers `---`; with the text next to a marker, if there is any. */
function documentSpans(text: string): readonly (readonly [start: number, end: number])[] {
  const spans: [number, number][] = [];
  let start = 0;
  for (const { index, 0: marker } of text.matchAll(/^---(?:[ \t]*\n|(?=\s|$))/gm)) {
    spans.push([start, index]);
    start = marker.endsWith("\n") ? index + marker.length : index;
  }
  return [...spans, [start, text.length]];
}
