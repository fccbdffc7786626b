import { isObject, type Json, type JsonObject, MovedDocument, type ParsedDocument } from "../document.js";
import type { Beginning } from "../lines.js";
import { objectsInValue } from "../list.js";
import type { Receiver } from "../object.js";
import { readPlainYaml } from "./plain-yaml.js";
import { mayBeList, StreamedList } from "../streamed-list.js";
import type { TextWindow } from "../text-window.js";
import { parseYamlPart, plainYamlPart } from "./yaml.js";

/*
 * A snapshot of a large cluster is one document with one list. Its items are cut out by their indentation and read one by
 * one, each as a list of its own:
 *
 *     apiVersion: v1        head
 *     items:
 *     - kind: Pod           item
 *       …
 *     - kind: Pod           item
 *       …
 *     kind: List            tail
 */

/** Reads one document after the other; an item that is broken hides no others. */
export function readYamlStream(window: TextWindow, file: string, receiver: Receiver): void {
  new YamlStream(window, file, receiver).read();
}

class YamlStream {
  /** In the window, at the beginning of a line. */
  private at = 0;

  constructor(
    private readonly window: TextWindow,
    private readonly file: string,
    private readonly receiver: Receiver,
  ) {}

  read(): void {
    while (this.at < this.window.text.length || this.more()) {
      this.at = matchEnd(blankMarker, this.window.text, this.at) ?? this.at;
      const ahead = this.documentEnd() === undefined ? this.itemsAhead() : undefined;
      if (ahead === undefined) this.document();
      else this.list(ahead);
    }
  }

  /** A document that fits into the window, or is not a list. */
  private document(): void {
    const part = this.take(this.wholeDocument());
    const line = firstLine(part);
    for (const { value, ...document } of this.parse(part))
      objectsInValue(value, document, this.receiver, line);
  }

  /** The fields before `items` of a list that does not fit into the window, and where its first item is. */
  private itemsAhead(): ItemsAhead | undefined {
    const { text } = this.window;
    const found = /^items: *\n(?: *(?:#.*)?\n)*( *)-\s/m.exec(text.slice(this.at));
    if (found === null) return undefined;
    const head = fieldsIn(readPlainYaml(text.slice(this.at, this.at + found.index)) ?? null);
    const indent = found[1]!.length;
    const first = this.at + found.index + found[0].length - indent - "- ".length;
    return mayBeList(head) ? { head, first, indent } : undefined;
  }

  private list({ head, first, indent }: ItemsAhead): void {
    const place = { file: this.file, ...this.window.positionOf(this.at), length: 1 };
    const list = new StreamedList(head, this.receiver);
    const dash = new RegExp(` {${indent}}-\\s`, "y");
    this.at = first;
    do this.item(list, indent);
    while (this.isAhead(dash, indent + 2));
    const [tail] = this.isAhead(marker, 4) ? [] : this.parse(this.take(this.wholeDocument()));
    list.end({ ...head, ...fieldsIn(tail?.value ?? null) }, place);
  }

  /** What is cut out is one item, or more if their dashes are alone on a line. */
  private item(list: StreamedList, indent: number): void {
    const next = this.nextDash(indent);
    const quick = next === undefined ? undefined : readPlainYaml(this.window.text.slice(this.at, next));
    const part = this.take(quick === undefined ? this.itemEnd(indent) : next!);
    const documents =
      quick === undefined ? this.parse(part) : [plainYamlPart(quick, part.text, this.file, part.beginning)];
    for (const { value, ...document } of documents)
      for (const [i, item] of (Array.isArray(value) ? (value as readonly Json[]) : []).entries())
        list.add({
          value: item,
          document: new MovedDocument(document, (path) => [i, ...path]),
          ...(i === 0 && startsAtDash.test(part.text) ? { line: part.beginning.line } : {}),
        });
  }

  /** The next line with a dash at this column, which may be after the list. */
  private nextDash(indent: number): number | undefined {
    const dash = `\n${" ".repeat(indent)}- `;
    for (;;) {
      const found = this.window.text.indexOf(dash, this.at);
      if (found !== -1) return found + 1;
      if (this.documentEnd() !== undefined || !this.more()) return undefined;
    }
  }

  /** The next line, except comments, that is not indented deeper than the dash of the item. */
  private itemEnd(indent: number): number {
    const line = new RegExp(`\\n {0,${indent}}(?=[^\\s#])`, "g");
    for (;;) {
      line.lastIndex = this.at;
      const found = line.exec(this.window.text);
      if (found !== null) return found.index + 1;
      if (!this.more()) return this.window.text.length;
    }
  }

  private wholeDocument(): number {
    for (;;) {
      const end = this.documentEnd();
      if (end !== undefined) return end;
      this.more();
    }
  }

  /** Where the next document begins, or the text ends; undefined if the window ends too soon. */
  private documentEnd(): number | undefined {
    const { text, ended } = this.window;
    const next = /\n---(?=\s|$)/g;
    next.lastIndex = this.at;
    const found = next.exec(text)?.index;
    if (found !== undefined && (ended || found + "\n---".length < text.length)) return found + 1;
    return ended ? text.length : undefined;
  }

  private take(end: number): Part {
    const part = { text: this.window.text.slice(this.at, end), beginning: this.window.positionOf(this.at) };
    this.at = end;
    return part;
  }

  private parse({ text, beginning }: Part): readonly ParsedDocument[] {
    const { documents, diagnostics } = parseYamlPart(text, this.file, beginning);
    for (const found of diagnostics) this.receiver.report(found);
    return documents;
  }

  private isAhead(pattern: RegExp, length: number): boolean {
    while (this.at + length > this.window.text.length && this.more());
    return matchEnd(pattern, this.window.text, this.at) !== undefined;
  }

  private more(): boolean {
    const from = this.at;
    this.at = 0;
    if (this.window.more(from)) return true;
    this.at = from;
    return false;
  }
}

interface Part {
  readonly text: string;
  readonly beginning: Beginning;
}

interface ItemsAhead {
  readonly head: JsonObject;
  readonly first: number;
  readonly indent: number;
}

const marker = /---(?=\s|$)/y;
/** A marker alone on its line. */
const blankMarker = /---[ \t]*\r?\n/y;

const fieldsIn = (value: Json): JsonObject => (isObject(value) ? value : {});

/** Where a sticky pattern that matches here ends. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const startsAtDash = /^ *- +[^\s#]/;

/** The line of a document that is not empty; undefined if there is something next to its marker. */
function firstLine({ text, beginning }: Part): number | undefined {
  if (text.startsWith("---")) return undefined;
  const empty = /(?:[ \t]*(?:#.*)?\r?\n)*/y.exec(text)?.[0] ?? "";
  return beginning.line + empty.split("\n").length - 1;
}
