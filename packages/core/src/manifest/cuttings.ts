import { ByteText } from "./byte-text.js";
import type { Json, JsonObject } from "./document.js";
import type { Field } from "./json-field.js";
import { closingBracket, comma, openingBracket } from "./json-scanner.js";
import type { SurveyNotes } from "./survey-notes.js";
import { decodeUtf8 } from "./utf8.js";

/**
 * Which bytes of an object an excerpt is made of, and of which nobody wants to know more than that they are there. Offsets are
 * counted from the first byte of the object.
 *
 *     open metadata    take name 40–46    skip 60–210    close    open spec    gather containers    piece 300–320 …
 */
export class Cuttings {
  private readonly steps: Cutting[] = [];
  private count = 0;
  /** The list that is being put together. */
  private gathering = 0;
  private readonly text = new ByteText();
  private readonly unknown: Cutting[] = [];

  clear(): void {
    this.count = 0;
  }

  /** What follows goes into an object at this field, */
  open(field: Field): void {
    this.add("open", field, 0, 0);
  }

  /** and no longer. */
  close(): void {
    this.add("close", undefined, 0, 0);
  }

  /** The value of a field. */
  take(field: Field, from: number, to: number): void {
    this.add("take", field, from, to);
  }

  /** A value that is in no excerpt. */
  skip(from: number, to: number): void {
    this.add("skip", undefined, from, to);
  }

  /** The value of a field is put together from the pieces that follow, */
  gather(field: Field): void {
    this.gathering = this.count;
    this.add("gather", field, 0, 0);
  }

  /** which are bytes of the object, */
  piece(from: number, to: number): void {
    this.add("piece", undefined, from, to);
  }

  /** a whole value in it, */
  pieceOfValue(from: number, to: number): void {
    this.add("value piece", undefined, from, to);
  }

  /** or a byte that stands for itself, */
  put(byte: number): void {
    this.add("put", undefined, byte, byte);
  }

  /** and end here. */
  gathered(): void {
    this.steps[this.gathering]!.to = this.count;
  }

  /** The values in which nothing but a value is expected, from front to back; `visit` counts the texts and numbers in them. */
  eachValue(visit: (from: number, to: number) => number): void {
    let before = 0;
    for (let i = 0; i < this.count; i++) {
      const step = this.steps[i]!;
      step.before = before;
      if (isValue[step.does]) before = visit(step.from, step.to);
      step.after = before;
    }
    for (let i = 0; i < this.count; i++) {
      const step = this.steps[i]!;
      if (step.does === "gather" && step.to > i + 1) step.after = this.steps[step.to - 1]!.after;
    }
  }

  /**
   * To the same places of an object that is written alike: by how much bytes have moved behind so many texts and numbers,
   * and how many of these are others now.
   */
  move(shifts: Int32Array, changes: Int32Array): void {
    const { steps, count } = this;
    for (let i = 0; i < count; i++) {
      const step = steps[i]!;
      const { does, before, after } = step;
      step.isKnown = changes[before] === changes[after];
      if (does === "take" || does === "piece" || does === "value piece" || does === "skip") {
        step.from += shifts[before]!;
        step.to += shifts[after]!;
      }
    }
  }

  /** The excerpt of the object that begins here. */
  excerpt(bytes: Uint8Array, at: number): JsonObject {
    this.parseUnknown(bytes, at);
    const { steps, count } = this;
    const excerpt: Record<string, Json> = {};
    const outer: Record<string, Json>[] = [];
    let into = excerpt;
    for (let i = 0; i < count; i++) {
      const { does, field, to, value } = steps[i]!;
      if (does === "open") {
        outer.push(into);
        into = into[field!.name] = {};
      } else if (does === "close") into = outer.pop()!;
      else if (does === "take" || does === "gather") into[field!.name] = value;
      if (does === "gather") i = to - 1;
    }
    return excerpt;
  }

  /** The same, as notes for somebody else. */
  note(bytes: Uint8Array, at: number, notes: SurveyNotes): void {
    notes.excerpt();
    for (let i = 0; i < this.count; i++) {
      const step = this.steps[i]!;
      const { does, field } = step;
      if (does === "open") notes.open(field!.number);
      else if (does === "close") notes.close();
      else if (does === "take" || does === "gather")
        notes.value(field!.number, (step.value = this.valueNoted(i, bytes, at, notes)));
      if (does === "gather") i = step.to - 1;
    }
  }

  /** The number that a value has in the notes; it is written down unless it is known there. */
  private valueNoted(i: number, bytes: Uint8Array, at: number, notes: SurveyNotes): number {
    const { field, isKnown, value } = this.steps[i]!;
    if (isKnown && (value as number) >= notes.first) return value as number;
    const { texts } = notes;
    const start = notes.beginText();
    this.copyTo(texts, i, bytes, at);
    const latest = field!.latest.of(texts.bytes, start, texts.length) as number | undefined;
    if (latest === undefined || latest < notes.first) return (field!.latest.value = notes.keepText());
    notes.dropText(start);
    return latest;
  }

  /** All values that are not known, in one text: to call a parser takes longer than what it does for most of them. */
  private parseUnknown(bytes: Uint8Array, at: number): void {
    const { steps, count, unknown, text } = this;
    text.length = 0;
    unknown.length = 0;
    for (let i = 0; i < count; i++) {
      const step = steps[i]!;
      const { does, to, isKnown } = step;
      if (!isKnown && (does === "take" || does === "gather")) {
        text.put(unknown.length === 0 ? openingBracket : comma);
        const start = text.length;
        this.copyTo(text, i, bytes, at);
        const latest = step.field!.latest.of(text.bytes, start, text.length);
        if (latest === undefined) unknown.push(step);
        else {
          step.value = latest;
          text.length = start - 1;
        }
      }
      if (does === "gather") i = to - 1;
    }
    if (unknown.length === 0) return;
    text.put(closingBracket);
    const values = JSON.parse(decodeUtf8(text.written())) as readonly Json[];
    for (let i = 0; i < unknown.length; i++) {
      const step = unknown[i]!;
      const value = values[i]!;
      step.value = value;
      step.field!.latest.value = value;
    }
  }

  /** The text of the value that a step takes or gathers. */
  private copyTo(text: ByteText, i: number, bytes: Uint8Array, at: number): void {
    const { does, from, to } = this.steps[i]!;
    if (does === "take") text.add(bytes, at + from, at + to);
    else
      for (let piece = i + 1; piece < to; piece++) {
        const { does: doesPiece, from: first, to: end } = this.steps[piece]!;
        if (doesPiece === "put") text.put(first);
        else if (doesPiece !== "skip") text.add(bytes, at + first, at + end);
      }
  }

  /** There are many of them for each object: they are used again. */
  private add(does: Cutting["does"], field: Field | undefined, from: number, to: number): void {
    const step = this.steps[this.count];
    if (step === undefined)
      this.steps.push({ does, field, from, to, before: 0, after: 0, isKnown: false, value: null });
    else {
      step.does = does;
      step.field = field;
      step.from = from;
      step.to = to;
      step.isKnown = false;
    }
    this.count++;
  }
}

interface Cutting {
  does: "open" | "close" | "take" | "skip" | "gather" | "piece" | "value piece" | "put";
  field: Field | undefined;
  /** Offsets; of `gather`, where its pieces end; of `put`, the byte. */
  from: number;
  to: number;
  /** How many texts and numbers there are before it and up to its end. */
  before: number;
  after: number;
  /** Whether the value is that of the object before. */
  isKnown: boolean;
  value: Json;
}

const isValue: Readonly<Record<Cutting["does"], boolean>> = {
  open: false,
  close: false,
  take: true,
  skip: true,
  gather: false,
  piece: false,
  "value piece": true,
  put: false,
};
