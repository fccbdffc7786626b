import type { Place } from "../diagnostics/place.js";
import { type Document, isObject, type Json } from "./document.js";
import { placesInText, type YamlText } from "./yaml-tree.js";

/** Shorter texts are read again as a whole. */
const longText = 64 * 1024;

/**
 * The places of a long plain text that is one list, such as a snapshot: to tell where something stands, only the item that
 * it is in is read with a syntax tree. Undefined where the items cannot be told apart by their indentation.
 */
export function placesInPlainList(part: YamlText, value: Json): Document | undefined {
  const { text, file, place } = part;
  if (text.length < longText || !isObject(value) || !Array.isArray(value.items)) return undefined;
  const starts = itemStarts(text);
  if (starts === undefined || starts.length !== value.items.length + 1) return undefined;
  const whole = placesInText(part);
  // Questions about one item come together.
  let last: { readonly item: number; readonly places: Document } | undefined;
  const inItem = (item: number): Document => {
    if (last?.item === item) return last.places;
    const [from, to] = [starts[item]!, starts[item + 1]!];
    const placeInItem = (start: number, end: number): Place => place(from + start, from + end);
    last = { item, places: placesInText({ text: text.slice(from, to), file, place: placeInItem }) };
    return last.places;
  };
  const ask = <T>(
    path: readonly (string | number)[],
    question: (document: Document, path: readonly (string | number)[]) => T,
  ): T => {
    const [list, item, ...rest] = path;
    return list === "items" && typeof item === "number" && item < starts.length - 1
      ? question(inItem(item), [0, ...rest])
      : question(whole, path);
  };
  return {
    file,
    placeOf: (path) => ask(path, (document, inner) => document.placeOf(inner)),
    placeOfKey: (path) => ask(path, (document, inner) => document.placeOfKey(inner)),
    writtenAt: (path) => ask(path, (document, inner) => document.writtenAt(inner)),
  };
}

/** Where the lines of the items' dashes begin, and where the list ends. */
function itemStarts(text: string): readonly number[] | undefined {
  const head = /^items: *\r?\n(?: *(?:#.*)?\r?\n)*( *)- /m.exec(text);
  if (head === null) return undefined;
  const indent = head[1]!.length;
  const first = head.index + head[0].length - indent - "- ".length;
  // What is less indented than the dashes, or stands where they do without being one, is behind the list.
  const line = new RegExp(`^(?: {${indent}}(- )| {0,${indent}}[^\\s#-])`, "gm");
  line.lastIndex = first;
  const starts: number[] = [];
  for (let found = line.exec(text); found !== null; found = line.exec(text)) {
    starts.push(found.index);
    if (found[1] === undefined) return starts;
  }
  return [...starts, text.length];
}
