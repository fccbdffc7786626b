import type { Path, Place } from "../../diagnostics/place.js";
import { type Document, isObject, type Json } from "../document.js";
import { readPlainYaml, type SpanReceiver } from "./plain-yaml.js";
import { placesInText, type YamlText } from "./yaml-tree.js";

/**
 * The places of a plain text that is one document. Keys and blocks are found by reading it once more, and the rest with a
 * syntax tree. In a long list, such as a snapshot, only the item that is asked about is read.
 */
export function placesInPlainText(part: YamlText, value: Json = null): Document {
  const { text, file, place } = part;
  const isLong = text.length >= longText && isObject(value) && Array.isArray(value.items);
  const tree = placesInText(part);
  let found: Spans | undefined;
  const spans = () => (found ??= new Spans(text, isLong ? ["items", 0].length : Infinity));
  const whole: Document = {
    ...tree,
    placeOf: (path) => {
      const block = spans().at(path)?.block;
      return block === undefined ? tree.placeOf(path) : place(...block);
    },
    placeOfKey: (path) => {
      const span = typeof path.at(-1) === "string" ? spans().at(path) : undefined;
      return span === undefined ? tree.placeOfKey(path) : place(...span.key);
    },
  };
  if (!isLong) return whole;

  // Questions about one item come together.
  let last: { readonly from: number; readonly document: Document } | undefined;
  const itemAt = (path: Path): readonly [Document, Path] => {
    const [from, end] = spans().linesOf(path) ?? [];
    if (from === undefined) return [whole, path];
    if (last?.from !== from) {
      const placeInItem = (start: number, to: number): Place => place(from + start, from + to);
      last = { from, document: placesInPlainText({ text: text.slice(from, end), file, place: placeInItem }) };
    }
    return [last.document, [0, ...path.slice(2)]];
  };
  const ask = <T>(path: Path, question: (document: Document, path: Path) => T): T =>
    question(...itemAt(path));
  return {
    file,
    placeOf: (path) => ask(path, (document, inner) => document.placeOf(inner)),
    placeOfKey: (path) => ask(path, (document, inner) => document.placeOfKey(inner)),
    writtenAt: (path) => ask(path, (document, inner) => document.writtenAt(inner)),
    // A comment above an item's dash refers to the item, and is not in its block.
    commentsIn: (path) => whole.commentsIn(path),
  };
}

/** Shorter texts are read again as a whole. */
const longText = 64 * 1024;

type Range = readonly [start: number, end: number];

interface Span {
  /** Of an item: its dash. */
  readonly key: Range;
  /** Of a mapping or list of several lines. */
  block?: Range;
}

/** Where the parts of a plain text are, down to some depth. */
class Spans implements SpanReceiver {
  private readonly path: (string | number)[] = [];
  private readonly open: Span[] = [{ key: [0, 1] }];
  private readonly found = new Map([["[]", this.open[0]!]]);

  constructor(
    private readonly text: string,
    private readonly deepest: number,
  ) {
    readPlainYaml(text, this);
  }

  at(path: Path): Span | undefined {
    return this.found.get(JSON.stringify(path));
  }

  /** The lines of the item of the list that a path leads into. */
  linesOf([items, index]: Path): Range | undefined {
    const list = this.at(["items"])?.block;
    const item = typeof index === "number" ? this.at([items!, index]) : undefined;
    if (items !== "items" || item === undefined) return undefined;
    const lineStart = (at: number) => this.text.lastIndexOf("\n", at) + 1;
    const next = this.at(["items", Number(index) + 1]);
    return [
      lineStart(item.key[0]),
      next === undefined ? (list?.[1] ?? this.text.length) : lineStart(next.key[0]),
    ];
  }

  enter(step: string | number, start: number, end: number): void {
    this.path.push(step);
    const span: Span = { key: [start, start + this.text.slice(start, end).trimEnd().length] };
    this.open.push(span);
    if (this.path.length <= this.deepest) this.found.set(JSON.stringify(this.path), span);
  }

  leave(): void {
    this.path.pop();
    this.open.pop();
  }

  block(start: number, end: number): void {
    this.open.at(-1)!.block = [start, end];
  }
}
