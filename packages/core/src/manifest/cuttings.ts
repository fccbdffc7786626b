import type { Json, JsonObject } from "./document.js";
import type { Field } from "./json-field.js";
import { closingBracket, comma, openingBracket } from "./json-scanner.js";
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
  private copy = new Uint8Array(64);
  private copied = 0;
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

  /** All values that are not known, in one text: to call a parser takes longer than what it does for most of them. */
  private parseUnknown(bytes: Uint8Array, at: number): void {
    const { steps, count, unknown } = this;
    this.copied = 0;
    unknown.length = 0;
    for (let i = 0; i < count; i++) {
      const step = steps[i]!;
      const { does, from, to, isKnown } = step;
      if (!isKnown && (does === "take" || does === "gather")) {
        this.copyByte(unknown.length === 0 ? openingBracket : comma);
        const start = this.copied;
        if (does === "take") this.copyBytes(bytes, at + from, at + to);
        else this.copyPieces(bytes, at, i + 1, to);
        const latest = step.field!.latest.of(this.copy, start, this.copied);
        if (latest === undefined) unknown.push(step);
        else {
          step.value = latest;
          this.copied = start - 1;
        }
      }
      if (does === "gather") i = to - 1;
    }
    if (unknown.length === 0) return;
    this.copyByte(closingBracket);
    const values = JSON.parse(decodeUtf8(this.copy.subarray(0, this.copied))) as readonly Json[];
    for (let i = 0; i < unknown.length; i++) {
      const step = unknown[i]!;
      const value = values[i]!;
      step.value = value;
      step.field!.latest.value = value;
    }
  }

  private copyPieces(bytes: Uint8Array, at: number, first: number, end: number): void {
    for (let i = first; i < end; i++) {
      const { does, from, to } = this.steps[i]!;
      if (does === "put") this.copyByte(from);
      else if (does !== "skip") this.copyBytes(bytes, at + from, at + to);
    }
  }

  private copyByte(byte: number): void {
    this.makeRoom(1);
    this.copy[this.copied++] = byte;
  }

  private copyBytes(bytes: Uint8Array, from: number, to: number): void {
    this.makeRoom(to - from);
    const { copy } = this;
    let { copied } = this;
    for (let i = from; i < to; i++) copy[copied++] = bytes[i]!;
    this.copied = copied;
  }

  private makeRoom(more: number): void {
    if (this.copied + more <= this.copy.length) return;
    const larger = new Uint8Array(2 * (this.copied + more));
    larger.set(this.copy);
    this.copy = larger;
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
