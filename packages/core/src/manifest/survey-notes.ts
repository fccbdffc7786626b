import { ByteText } from "./byte-text.js";
import { closingBracket, comma, openingBracket } from "./json-scanner.js";

/*
 * What one thread finds out about the objects in a piece of a long JSON text, so that another need not walk over them. For each
 * object, in numbers:
 *
 *     where it begins in the piece, its length, the lines it goes down, the column behind it (or how many it goes on, on one
 *     line), how many numbers follow (or -1 where it must be read as a whole), and its excerpt:
 *
 *         -2 - field       an object opens at this field
 *         -1               and closes
 *         field, value     a field whose value is the one of this number among the texts of the piece
 *
 * Values that are the same bytes are written once: whoever reads the notes has one value for all of them.
 */

export const headLength = 5;
export const unread = -1;
export const closed = -1;
/** And back. */
export const opened = (field: number): number => -2 - field;

/** A piece of a text, and what is known of the objects in it. */
export interface SurveyedChunk {
  readonly bytes: Uint8Array;
  readonly notes: Int32Array;
  /** A list of values, as JSON; empty where there are none. */
  readonly texts: Uint8Array;
}

export const withoutNotes = (bytes: Uint8Array): SurveyedChunk => ({
  bytes,
  notes: new Int32Array(0),
  texts: new Uint8Array(0),
});

/** Where an object stands in the piece, and how far it goes. */
export interface Extent {
  readonly start: number;
  readonly length: number;
  readonly lines: number;
  readonly column: number;
}

/** Takes notes of one piece after the other. */
export class SurveyNotes {
  readonly texts = new ByteText();
  /** The number of the first value of this piece. Values are numbered on from piece to piece, so that old ones show. */
  first = 0;
  private next = 0;
  private numbers = new Int32Array(1024);
  private count = 0;
  /** Where the object begins that notes are taken of. */
  private head = 0;

  /** The notes of the next piece. Those before are gone. */
  begin(): void {
    this.count = 0;
    this.texts.length = 0;
    this.first = this.next;
  }

  object({ start, length, lines, column }: Extent): void {
    this.head = this.count;
    for (const number of [start, length, lines, column, unread]) this.add(number);
  }

  /** What follows is the excerpt of that object, */
  excerpt(): void {
    this.numbers[this.head + headLength - 1] = 0;
  }

  open(field: number): void {
    this.step(opened(field));
  }

  close(): void {
    this.step(closed);
  }

  value(field: number, value: number): void {
    this.step(field);
    this.step(value - this.first);
  }

  /** A text is about to be written behind the others; gives back where it begins. */
  beginText(): number {
    this.texts.put(this.next === this.first ? openingBracket : comma);
    return this.texts.length;
  }

  /** It is a value that was not there before; gives back its number. */
  keepText(): number {
    return this.next++;
  }

  /** It was there before. */
  dropText(start: number): void {
    this.texts.length = start - 1;
  }

  about(bytes: Uint8Array): SurveyedChunk {
    if (this.next > this.first) this.texts.put(closingBracket);
    return { bytes, notes: this.numbers.subarray(0, this.count), texts: this.texts.written() };
  }

  private step(number: number): void {
    this.add(number);
    this.numbers[this.head + headLength - 1]!++;
  }

  private add(number: number): void {
    if (this.count === this.numbers.length) {
      const longer = new Int32Array(2 * this.count);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    this.numbers[this.count++] = number;
  }
}
