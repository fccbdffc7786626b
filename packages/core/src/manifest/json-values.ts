import type { ByteWindow } from "./byte-window.js";
import type { Json, JsonObject } from "./document.js";
import type { Excerpt } from "./excerpt.js";
import { JsonExcerpts } from "./json-excerpt.js";
import { firstMistake } from "./json-mistake.js";
import { Broken, JsonScanner, openingBrace, Unfinished } from "./json-scanner.js";
import { ValuePlaces } from "./json.js";
import type { Beginning } from "./lines.js";
import { type ListKind, typeOf } from "./list.js";
import type { Item } from "./streamed-list.js";
import type { SurveyedText } from "./surveyed-text.js";
import { decodeUtf8 } from "./utf8.js";

/** `at` is counted from where reading stood. */
export class NotJson extends Error {
  constructor(
    message: string,
    readonly at = 0,
  ) {
    super(message);
  }
}

/** Takes values, and what stands between them, from the front of a JSON text. */
export class JsonValues {
  private readonly scanner: JsonScanner;
  private readonly excerpts: JsonExcerpts | undefined;
  /** In the window, as far as the scanner has walked. */
  private at = 0;
  /** How often something was dropped from the window. */
  private drops = 0;

  constructor(
    private readonly window: ByteWindow,
    private readonly file: string,
    private readonly excerpt: Excerpt | undefined,
    private readonly surveyed: SurveyedText | undefined,
  ) {
    this.scanner = new JsonScanner(window);
    this.excerpts = excerpt && new JsonExcerpts(this.scanner, excerpt.outline);
  }

  position(): Beginning {
    return this.scanner.position(this.at);
  }

  /** What is in the window and has not been read. */
  ahead(): string {
    return this.text(this.at, this.scanner.length);
  }

  /** The value that begins here; the window grows until it is whole. */
  next(how: Reading = {}): Item {
    for (;;) {
      const found = this.nextInWindow(how);
      if (found !== undefined) return found;
      if (!this.more()) return this.last();
    }
  }

  /** The same; undefined, and nothing is read, where the window ends before the value does. */
  nextInWindow({ list, kept }: Reading = {}): Item | undefined {
    const beginning = this.position();
    return this.inWindow((at) => {
      const { value, end } = this.noted(at, beginning) ?? this.walked(at, kept);
      const found =
        kept !== true && value !== undefined && this.suffices(value, list)
          ? this.part(value, at, end, beginning)
          : this.whole(at, end, beginning);
      return { found, end };
    });
  }

  private noted(at: number, { line, column }: Beginning): Cut | undefined {
    const noted = this.surveyed?.objectAt(this.window.offset + at);
    if (noted === undefined) return undefined;
    const end = at + noted.length;
    this.scanner.returnTo(end, {
      line: line + noted.lines,
      column: noted.lines === 0 ? column + noted.column : noted.column,
    });
    return { value: noted.excerpt, end };
  }

  private walked(at: number, kept: boolean | undefined): Cut {
    const { excerpts, scanner } = this;
    const isCut = excerpts !== undefined && kept !== true && scanner.bytes[at] === openingBrace;
    return isCut ? excerpts.read(at) : { value: undefined, end: scanner.value(at) };
  }

  /** What is found ahead, and where it ends; undefined, and nothing is read, where the window ends too soon. */
  inWindow<T>(find: (at: number, scanner: JsonScanner) => Found<T> | undefined): T | undefined {
    const { scanner, at } = this;
    const beginning = this.position();
    try {
      const found = find(at, scanner);
      if (found !== undefined) {
        this.at = found.end;
        return found.found;
      }
    } catch (cause) {
      if (cause instanceof Broken) {
        scanner.returnTo(at, beginning);
        throw this.mistake();
      }
      if (!(cause instanceof Unfinished)) throw cause;
    }
    scanner.returnTo(at, beginning);
    return undefined;
  }

  parsed(from: number, to: number): Json {
    return JSON.parse(this.text(from, to)) as Json;
  }

  /** The next character that is not space, which must be one of these. */
  expect(allowed: string): string {
    const byte = this.skipSpace();
    const found = byte === undefined ? "" : String.fromCharCode(byte);
    if (found === "" || !allowed.includes(found))
      throw new NotJson(`expected ${Array.from(allowed, (character) => `\`${character}\``).join(" or ")}`);
    this.at++;
    return found;
  }

  /** The next byte that is not space; undefined at the end. */
  skipSpace(): number | undefined {
    for (;;) {
      this.at = this.scanner.space(this.at);
      if (this.at < this.scanner.length) return this.scanner.bytes[this.at];
      if (!this.more()) return undefined;
    }
  }

  private suffices(value: JsonObject, list: ListKind): boolean {
    const { apiVersion, kind } = typeOf(value, list);
    return this.excerpt?.suffices(apiVersion, kind, value) === true;
  }

  /** Places are seldom asked for: only then the text is decoded, if the window still has it. */
  private part(value: Json, from: number, to: number, beginning: Beginning): Item {
    const { drops } = this;
    const text = () => {
      if (this.drops > drops) throw new Error("an excerpt tells places only while it is being received");
      return this.text(from, to);
    };
    return { value, document: new ValuePlaces(this.file, text, beginning), line: beginning.line };
  }

  private whole(from: number, to: number, beginning: Beginning): Item {
    const text = this.text(from, to);
    const document = new ValuePlaces(this.file, () => text, beginning);
    return { value: JSON.parse(text) as Json, document, line: beginning.line };
  }

  /** A number may end with the text. */
  private last(): Item {
    const { scanner, at } = this;
    try {
      const item = this.whole(at, scanner.length, this.position());
      this.at = scanner.length;
      return item;
    } catch {
      throw new NotJson("the text ends before this value does");
    }
  }

  private mistake(): NotJson {
    const { at, expected } = firstMistake(this.ahead());
    return new NotJson(`expected ${expected}`, at);
  }

  private text(from: number, to: number): string {
    return decodeUtf8(this.scanner.bytes.subarray(from, to));
  }

  private more(): boolean {
    if (!this.scanner.more(this.at)) return false;
    this.at = 0;
    this.drops++;
    return true;
  }
}

/** What is known about a value beforehand. */
interface Reading {
  /** The list that it is an item of. */
  readonly list?: ListKind;
  /** Whether it must outlast the window. */
  readonly kept?: boolean;
}

/** An excerpt, if there is one, and where the value ends. */
interface Cut {
  readonly value: JsonObject | undefined;
  readonly end: number;
}

interface Found<T> {
  readonly found: T;
  readonly end: number;
}
