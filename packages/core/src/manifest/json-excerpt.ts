import { Cuttings } from "./cuttings.js";
import type { JsonObject } from "./document.js";
import type { Outline } from "./excerpt.js";
import { type Field, fieldAt, fieldsOf, hasEscape } from "./json-field.js";
import { JsonReplica } from "./json-replica.js";
import {
  closingBrace,
  closingBracket,
  comma,
  type JsonScanner,
  openingBrace,
  openingBracket,
} from "./json-scanner.js";
import type { SurveyNotes } from "./survey-notes.js";

/** Makes values of what an outline names. The rest is only walked over: no text and no value is made of it. */
export class JsonExcerpts {
  private readonly fields: readonly Field[];
  private readonly cuttings = new Cuttings();
  private readonly replica: JsonReplica;
  /** How many objects in a row were not written like the one before. */
  private misses = 0;
  /** Where the object begins that is being read. */
  private base = 0;
  /** Whether a key with an escape was passed over, which may be any. */
  private isDoubtful = false;

  constructor(
    private readonly scanner: JsonScanner,
    outline: Outline,
  ) {
    this.fields = fieldsOf(outline);
    this.replica = new JsonReplica(scanner);
  }

  /** The excerpt of the object that begins here, undefined for one that must be read as a whole, and where it ends. */
  read(at: number): { readonly value: JsonObject | undefined; readonly end: number } {
    const { scanner, cuttings } = this;
    const end = this.cut(at);
    return { value: this.isDoubtful ? undefined : cuttings.excerpt(scanner.bytes, at), end };
  }

  /** The same, as notes for somebody else; gives back where it ends. */
  note(at: number, notes: SurveyNotes): number {
    const { scanner, cuttings } = this;
    const { line, column } = scanner.position(at);
    const end = this.cut(at);
    const behind = scanner.position(end);
    const lines = behind.line - line;
    notes.object({
      start: at,
      length: end - at,
      lines,
      column: lines === 0 ? behind.column - column : behind.column,
    });
    if (!this.isDoubtful) cuttings.note(scanner.bytes, at, notes);
    return end;
  }

  /** Finds out what the object is made of, and where it ends. */
  private cut(at: number): number {
    const { scanner, cuttings, replica } = this;
    const followed = replica.follow(at, cuttings);
    if (followed !== undefined) {
      this.misses = 0;
      return followed;
    }
    const beginning = scanner.position(at);
    const end = this.walk(at);
    if (this.isDoubtful) return end;
    this.misses++;
    if (isWorthLearning(this.misses)) replica.learn(at, end, beginning, cuttings);
    return end;
  }

  private walk(at: number): number {
    this.replica.forget();
    this.cuttings.clear();
    this.base = at;
    this.isDoubtful = false;
    return this.object(at, this.fields);
  }

  private object(at: number, fields: readonly Field[]): number {
    const { scanner } = this;
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBrace)
      for (;;) {
        at = scanner.space(this.field(at, fields));
        if (scanner.bytes[at] === closingBrace) break;
        at = scanner.comma(at);
      }
    return at + 1;
  }

  private field(at: number, fields: readonly Field[]): number {
    const { scanner, cuttings, base } = this;
    const valueAt = scanner.key(at);
    const field = fieldAt(scanner.bytes, at, fields);
    if (field === undefined) return this.unwanted(at, valueAt);
    const first = scanner.bytes[valueAt];
    if (field.inner === "all" || (first !== openingBrace && first !== openingBracket)) {
      const end = scanner.value(valueAt);
      cuttings.take(field, valueAt - base, end - base);
      return end;
    }
    if (first === openingBrace) {
      cuttings.open(field);
      const end = this.object(valueAt, field.inner);
      cuttings.close();
      return end;
    }
    cuttings.gather(field);
    const end = this.list(valueAt, field.inner);
    cuttings.gathered();
    return end;
  }

  private unwanted(at: number, valueAt: number): number {
    const { scanner, cuttings, base } = this;
    this.isDoubtful ||= hasEscape(scanner.bytes, at);
    const end = scanner.value(valueAt);
    cuttings.skip(valueAt - base, end - base);
    return end;
  }

  /*
   * The items of a list are read together: what is left of them is put into one text.
   */

  private list(at: number, fields: readonly Field[]): number {
    const { scanner, cuttings } = this;
    cuttings.put(openingBracket);
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBracket)
      for (;;) {
        at = scanner.space(this.item(at, fields));
        if (scanner.bytes[at] === closingBracket) break;
        at = scanner.comma(at);
        cuttings.put(comma);
      }
    cuttings.put(closingBracket);
    return at + 1;
  }

  /** Lists of lists are nothing that an outline names. They may be nested as deeply as they like. */
  private item(at: number, fields: readonly Field[]): number {
    return this.scanner.bytes[at] === openingBracket ? this.piece(at, "all") : this.piece(at, fields);
  }

  private objectInList(at: number, fields: readonly Field[]): number {
    const { scanner, cuttings, base } = this;
    cuttings.put(openingBrace);
    let isFirst = true;
    at = scanner.space(at + 1);
    if (scanner.bytes[at] !== closingBrace)
      for (;;) {
        const valueAt = scanner.key(at);
        const field = fieldAt(scanner.bytes, at, fields);
        if (field === undefined) at = scanner.space(this.unwanted(at, valueAt));
        else {
          if (!isFirst) cuttings.put(comma);
          isFirst = false;
          cuttings.piece(at - base, valueAt - base);
          at = scanner.space(this.piece(valueAt, field.inner));
        }
        if (scanner.bytes[at] === closingBrace) break;
        at = scanner.comma(at);
      }
    cuttings.put(closingBrace);
    return at + 1;
  }

  private piece(at: number, inner: Field["inner"]): number {
    const { scanner, cuttings, base } = this;
    const first = scanner.bytes[at];
    if (inner !== "all" && first === openingBrace) return this.objectInList(at, inner);
    if (inner !== "all" && first === openingBracket) return this.list(at, inner);
    const end = scanner.value(at);
    cuttings.pieceOfValue(at - base, end - base);
    return end;
  }
}

/** It takes as long as walking over the object: where none is like the one before, few are tried. */
const isWorthLearning = (misses: number): boolean => misses <= 2 || misses % 8 === 0;
