import type { Json, JsonObject } from "../document.js";
import type { Beginning } from "../lines.js";
import { ownText } from "../own-text.js";
import { type ListItem, mayBeList } from "../streamed-list.js";
import type { TextWindow } from "../text-window.js";
import { firstMistake, isCutOff } from "./json-mistake.js";
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
