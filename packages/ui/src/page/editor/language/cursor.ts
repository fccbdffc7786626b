import type { Path } from "@tierwall/core/manifest";
import { flowPlace, unquoted } from "./flow-cursor.js";

/*
 * Where the cursor is in a YAML document. The text is not finished while it is being written, so it is read by its
 * indentation, and not by a parser, which would refuse it.
 */
export interface Cursor {
  /** `node`: something begins here, a key of an object or an item. `value`: it is after a key. */
  readonly at: "node" | "value";
  /** To the object or list item that is being written in; for a value, to the value. */
  readonly path: Path;
  /** What has been written of the word, and where it begins and ends. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  /** Keys that the object has already. */
  readonly keys: readonly string[];
  /** How far the keys of the object are indented; undefined inside `{…}`, where it does not matter. */
  readonly column?: number;
  /** Scalars at the top of the document: `apiVersion`, `kind`. */
  readonly top: ReadonlyMap<string, string>;
}

interface Frame {
  readonly kind: "map" | "list";
  readonly column: number;
  key?: string;
  /** Whether the key has a value on its own line, so that nothing can be below it. */
  isFull?: boolean;
  index: number;
  readonly keys: string[];
}

const keyPattern = /^("[^"\n]*"|'[^'\n]*'|[^\s#:{}[\],&*!|>'"%@`-][^:#\n]*?)\s*:(?=\s|$)/;

/** Undefined in comments and in long texts. */
export function cursorAt(text: string, offset: number): Cursor | undefined {
  const start = documentStart(text, offset);
  const reader = new BlockReader(text, start, offset);
  return reader.read();
}

class BlockReader {
  private readonly frames: Frame[] = [];
  private readonly top = new Map<string, string>();
  /** Lines that are indented further belong to a text that began with `|` or `>`. */
  private textColumn: number | undefined;

  constructor(
    private readonly text: string,
    private readonly start: number,
    private readonly offset: number,
  ) {}

  read(): Cursor | undefined {
    let at = this.start;
    for (;;) {
      const end = lineEnd(this.text, at);
      if (this.offset <= end) return this.lastLine(at, end);
      const next = this.line(at, end);
      if (typeof next !== "number") return next;
      at = next;
    }
  }

  /** Takes a line before the cursor; where it opens brackets that the cursor is in, that is the answer. */
  private line(at: number, end: number): number | Cursor | undefined {
    const line = this.text.slice(at, end);
    if (/^\s*(#.*)?$/.test(line) || this.isText(line)) return end + 1;
    const column = this.enter(line);
    const value = this.takeKey(line, column);
    const rest = line.slice(value).trimStart();
    const bracket = at + line.length - rest.length;
    if (!/^[{[]/.test(rest)) return end + 1;
    const flow = flowPlace(this.text, bracket, this.offset);
    if (flow.end === undefined || flow.end > this.offset) return this.insideFlow(flow);
    return lineEnd(this.text, flow.end) + 1;
  }

  private lastLine(at: number, end: number): Cursor | undefined {
    const line = this.text.slice(at, end);
    const until = this.offset - at;
    const before = line.slice(0, until);
    if (/(^|\s)#/.test(before.replace(/"[^"]*"|'[^']*'/g, "")) || this.isText(line, until)) return undefined;
    // On an empty line, the place of the cursor is the indentation.
    const column = this.enter(line.trim() === "" ? `${before}x` : line, until);
    const match = keyPattern.exec(line.slice(column));
    const colon = match === null ? -1 : column + match[0].length;
    if (match !== null && until >= colon) {
      const value = this.takeKey(line, column);
      const rest = line.slice(value);
      const from = value + rest.length - rest.trimStart().length;
      if (/^[{[]/.test(rest.trimStart()) && until > from) {
        const flow = flowPlace(this.text, at + from, this.offset);
        if (flow.end === undefined || flow.end > this.offset) return this.insideFlow(flow);
        return undefined;
      }
      return this.cursor("value", this.path(), at + Math.min(from, until), at + wordEnd(line, until));
    }
    if (/^[{[]/.test(line.slice(column)) && until > column)
      return this.insideFlow(flowPlace(this.text, at + column, this.offset));
    if (until < column) return undefined;
    return this.atNode(at, column, wordEnd(line, until));
  }

  /** Something begins at this column: a sibling of what is there already, or the first thing below a key. */
  private atNode(at: number, column: number, end: number): Cursor | undefined {
    const top = this.frames.at(-1);
    const isSibling = top?.kind === "map" && top.column === column;
    if (!isSibling && top?.kind === "map" && top.isFull) return undefined;
    const path = isSibling ? this.path().slice(0, -1) : this.path();
    const keys = isSibling ? [...top.keys, ...this.laterKeys(at, column)] : this.laterKeys(at, column);
    return { ...this.cursor("node", path, at + column, at + end), keys, column };
  }

  private insideFlow({ frames, from }: ReturnType<typeof flowPlace>): Cursor | undefined {
    const inner = frames.at(-1);
    if (inner === undefined) return undefined;
    const steps: Path = frames.flatMap(
      (frame): Path => (frame.kind === "list" ? [frame.index] : frame.key === undefined ? [] : [frame.key]),
    );
    const isValue = inner.kind === "map" && inner.key !== undefined;
    const to = this.offset + /^[\w./-]*/.exec(this.text.slice(this.offset))![0].length;
    const cursor = this.cursor(isValue ? "value" : "node", [...this.path(), ...steps], from, to);
    return { ...cursor, keys: inner.keys };
  }

  private cursor(at: Cursor["at"], path: Path, from: number, to: number): Cursor {
    return { at, path, from, to, word: this.text.slice(from, this.offset), keys: [], top: this.top };
  }

  /** Leaves the frames that the line is not part of, reads its dashes, and returns the column where its content begins. */
  private enter(line: string, until = line.length): number {
    let column = indentOf(line);
    const isItem = (from: number) => /^-(\s|$)/.test(line.slice(from));
    this.leave(column, isItem(column));
    while (isItem(column) && column < until) {
      const top = this.frames.at(-1);
      if (top?.kind === "list" && top.column === column) top.index++;
      else this.frames.push({ kind: "list", column, index: 0, keys: [] });
      const rest = line.slice(column + 1);
      // Behind a bare dash, content begins where the cursor is.
      column = rest.trim() === "" ? Math.max(column + 2, until) : line.length - rest.trimStart().length;
    }
    return column;
  }

  private leave(column: number, isItem: boolean): void {
    for (let top = this.frames.at(-1); top !== undefined; top = this.frames.at(-1)) {
      const isOver = top.column > column || (top.column === column && top.kind === "list" && !isItem);
      if (!isOver) return;
      this.frames.pop();
    }
  }

  /** Takes the key at a column, if there is one; returns where the value begins. */
  private takeKey(line: string, column: number): number {
    const match = keyPattern.exec(line.slice(column));
    if (match === null) return column;
    const key = unquoted(match[1]!);
    const value = line.slice(column + match[0].length).trim();
    const isFull = value !== "" && !value.startsWith("#");
    const top = this.frames.at(-1);
    if (top?.kind === "map" && top.column === column) {
      top.key = key;
      top.isFull = isFull;
      top.keys.push(key);
    } else this.frames.push({ kind: "map", column, key, isFull, index: 0, keys: [key] });
    if (this.frames.length === 1) this.top.set(key, unquoted(value.replace(/\s+#.*$/, "")));
    if (/^[|>]/.test(value)) this.textColumn = column;
    return column + match[0].length;
  }

  private isText(line: string, until = line.length): boolean {
    if (this.textColumn === undefined) return false;
    const column = line.trim() === "" ? until : indentOf(line);
    if (column > this.textColumn || line.trim() === "") return true;
    this.textColumn = undefined;
    return false;
  }

  private path(): Path {
    return this.frames.map(({ kind, key, index }) => (kind === "list" ? index : key!));
  }

  /** Keys of the same object below the cursor. */
  private laterKeys(at: number, column: number): readonly string[] {
    const keys: string[] = [];
    for (let start = lineEnd(this.text, at) + 1; start <= this.text.length; ) {
      const end = lineEnd(this.text, start);
      const line = this.text.slice(start, end);
      start = end + 1;
      if (/^\s*(#.*)?$/.test(line)) continue;
      const indent = indentOf(line);
      if (indent < column || /^(---|\.\.\.)/.test(line) || (indent === column && line[column] === "-")) break;
      const match = indent === column ? keyPattern.exec(line.slice(column)) : null;
      if (match !== null) keys.push(unquoted(match[1]!));
    }
    return keys;
  }
}

function documentStart(text: string, offset: number): number {
  const before = text.slice(0, offset);
  const marks = [...before.matchAll(/^---(?=\s|$).*\n/gm)];
  const last = marks.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** To the end of the word that the cursor is in. */
const wordEnd = (line: string, until: number): number =>
  until + /^[\w./-]*/.exec(line.slice(until))![0].length;

const indentOf = (line: string): number => line.length - line.trimStart().length;
