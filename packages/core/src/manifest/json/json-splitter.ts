import type { Json, JsonObject } from "../document.js";
import type { Beginning } from "../lines.js";
import { ownText } from "../own-text.js";
import { type ListItem, mayBeList } from "../streamed-list.js";
import type { TextWindow } from "../text-window.js";
import { skipSpace, ValuePlaces, valueEnd } from "./json.js";

/** `at` is counted from the current position. */
export class NotJson extends Error {
  constructor(
    message: string,
    readonly at = 0,
  ) {
    super(message);
  }
}

/**
 * Splits a JSON text into values, from front to back. The end of a value is found by counting brackets outside of strings;
 * whether it is JSON, `JSON.parse` decides.
 */
export class JsonSplitter {
  /** In the window; everything before it has been read. */
  private at = 0;

  constructor(
    private readonly window: TextWindow,
    private readonly file: string,
  ) {}

  position(): Beginning {
    return this.window.positionOf(this.at);
  }

  /** What is in the window and has not been read. */
  ahead(): string {
    return this.window.text.slice(this.at);
  }

  /** The value that begins here; the window grows until it is complete. */
  next(): ListItem {
    for (;;) {
      const found = this.nextInWindow();
      if (found !== undefined) return found;
      if (!this.more()) return this.last();
    }
  }

  /** The same; undefined, and nothing is read, where the window ends before the value does. */
  nextInWindow(): ListItem | undefined {
    const end = valueEnd(this.window.text, this.at);
    if (end === undefined) {
      this.expectNoMistake();
      return undefined;
    }
    const text = this.window.text.slice(this.at, end);
    const item = this.item(text) ?? this.mistakeIn(text);
    this.at = end;
    return item;
  }

  /**
   * The fields before the `items` of a list; reading continues after the bracket that opens them. Undefined, and nothing is
   * read, if this is not a list or the window ends too soon. Only for a value that `nextInWindow` found to be longer.
   */
  listHead(): JsonObject | undefined {
    const { text } = this.window;
    const head: Record<string, Json> = {};
    for (let key = behind("{", text, this.at); key !== undefined; ) {
      const keyEnd = valueEnd(text, key);
      const value = keyEnd && behind(":", text, keyEnd);
      if (value === undefined) return undefined;
      const name = JSON.parse(text.slice(key, keyEnd)) as string;
      if (name === "items") {
        const items = behind("[", text, value);
        if (items === undefined || !mayBeList(head)) return undefined;
        this.at = items;
        return head;
      }
      const end = valueEnd(text, value);
      if (end === undefined) return undefined;
      head[name] = JSON.parse(text.slice(value, end)) as Json;
      key = behind(",", text, end);
    }
    return undefined;
  }

  /** The next character that is not space, which must be one of these. */
  expect(allowed: string): string {
    const found = this.skipSpace() ?? "";
    if (found === "" || !allowed.includes(found))
      throw new NotJson(`expected ${Array.from(allowed, (character) => `\`${character}\``).join(" or ")}`);
    this.at++;
    return found;
  }

  /** The next character that is not space; undefined at the end. */
  skipSpace(): string | undefined {
    do this.at = skipSpace(this.window.text, this.at);
    while (this.at === this.window.text.length && this.more());
    return this.window.text[this.at];
  }

  private item(text: string): ListItem | undefined {
    const beginning = this.position();
    try {
      const value = JSON.parse(text) as Json;
      return { value, document: new ValuePlaces(this.file, ownText(text), beginning), line: beginning.line };
    } catch {
      return undefined;
    }
  }

  private mistakeIn(text: string): never {
    const { at, expected } = firstMistake(text);
    throw new NotJson(`expected ${expected}`, at);
  }

  /** Without this, a missing bracket would be noticed only at the end of the file, with all of it in memory. */
  private expectNoMistake(): void {
    const text = this.ahead();
    if (!isCutOff(text)) this.mistakeIn(text);
  }

  /** A number may end with the text. */
  private last(): ListItem {
    const item = this.item(this.ahead());
    if (item === undefined) throw new NotJson("the text ends before the end of this value");
    this.at = this.window.text.length;
    return item;
  }

  private more(): boolean {
    if (!this.window.more(this.at)) return false;
    this.at = 0;
    return true;
  }
}

/** After this character and the space around it; undefined if there is another character. */
function behind(character: string, text: string, from: number): number | undefined {
  const at = skipSpace(text, from);
  return text[at] === character ? skipSpace(text, at + 1) : undefined;
}

/** A mistake in a JSON text: where it is, and what was expected there. */
interface JsonMistake {
  readonly at: number;
  readonly expected: string;
}

/** Unrolled, so that long strings take no stack. Control characters must be escaped. */
const string = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy;
const single = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;

/**
 * The first mistake in a text that is not one JSON value. The JavaScript engine knows there is one, but not every
 * version of it says where.
 */
export function firstMistake(text: string): JsonMistake {
  const open: ("{" | "[")[] = [];
  let at = skipSpace(text, 0);
  let expected: "a value" | "a field" | "`:`" | "the end" | "" = "a value";
  let mayClose = false;
  const token = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = skipSpace(text, pattern.lastIndex);
    return true;
  };
  for (;;) {
    const inside = open.at(-1);
    const closing = inside === "{" ? "}" : "]";
    if (expected === "" || mayClose) {
      if (inside !== undefined && text[at] === closing) {
        at = skipSpace(text, at + 1);
        open.pop();
        expected = open.length === 0 ? "the end" : "";
        mayClose = false;
        continue;
      }
      if (expected === "") {
        if (text[at] !== ",") return { at, expected: `\`,\` or \`${closing}\`` };
        at = skipSpace(text, at + 1);
        expected = inside === "{" ? "a field" : "a value";
        continue;
      }
    }
    mayClose = false;
    if (expected === "the end") return { at, expected };
    if (expected === "a field") {
      if (!token(string)) return { at, expected: "a field in double quotes" };
      expected = "`:`";
    } else if (expected === "`:`") {
      if (text[at] !== ":") return { at, expected };
      at = skipSpace(text, at + 1);
      expected = "a value";
    } else if (text[at] === "{" || text[at] === "[") {
      open.push(text[at] as "{" | "[");
      expected = text[at] === "{" ? "a field" : "a value";
      mayClose = true;
      at = skipSpace(text, at + 1);
    } else {
      if (!token(string) && !token(single)) return { at, expected };
      expected = open.length === 0 ? "the end" : "";
    }
  }
}

/** Whether nothing is wrong with a text but that it ends too soon. */
function isCutOff(text: string): boolean {
  const { at, expected } = firstMistake(text);
  const isBegun = expected === "a value" || (expected.startsWith("a field") && text[at] === '"');
  return at === text.length || (isBegun && beginning.test(text.slice(at)));
}

/** The beginning of a string, a number or a word. */
const beginning =
  /^(?:"[ !#-[\]-\u{10ffff}]*(?:\\(?:.[ !#-[\]-\u{10ffff}]*)?)*|-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][-+]?\d*)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/u;
