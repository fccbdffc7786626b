import type { Json, JsonObject } from "./document.js";
import type { Outline } from "./excerpt.js";
import { fieldNames } from "./json-field.js";
import { closed, headLength, opened, type SurveyedChunk, unread } from "./survey-notes.js";
import { decodeUtf8 } from "./utf8.js";

/** What is known of an object beforehand. */
export interface Noted {
  readonly length: number;
  readonly lines: number;
  /** Behind it; where it goes down no line, how many columns it goes on. */
  readonly column: number;
  /** Undefined for an object that must be read as a whole. */
  readonly excerpt: JsonObject | undefined;
}

/** A text whose objects somebody has looked at before. The notes are facts about bytes: who finds none walks over these. */
export class SurveyedText {
  private readonly names: readonly string[];
  /** Of pieces that are not done with, in their order. */
  private readonly pieces: Piece[] = [];
  /** In the notes of the first of them. */
  private at = 0;

  constructor(
    private readonly chunks: Iterable<SurveyedChunk>,
    outline: Outline,
  ) {
    this.names = fieldNames(outline);
  }

  *bytes(): Iterable<Uint8Array> {
    let offset = 0;
    for (const { bytes, notes, texts } of this.chunks) {
      if (notes.length > 0)
        this.pieces.push({
          offset,
          // The next chunk may take its place.
          notes: notes.slice(),
          values: texts.length === 0 ? [] : (JSON.parse(decodeUtf8(texts.slice())) as readonly Json[]),
        });
      offset += bytes.length;
      yield bytes;
    }
  }

  /** About the object that begins at this byte of the text; only asked further and further on. */
  objectAt(byte: number): Noted | undefined {
    for (let piece = this.pieces[0]; piece !== undefined; piece = this.pieces[0]) {
      const { offset, notes } = piece;
      for (; this.at < notes.length; this.at += headLength + Math.max(0, notes[this.at + headLength - 1]!)) {
        const begins = offset + notes[this.at]!;
        if (begins > byte) return undefined;
        if (begins === byte) return this.noted(piece, this.at);
      }
      this.pieces.shift();
      this.at = 0;
    }
    return undefined;
  }

  private noted(piece: Piece, at: number): Noted {
    const { notes } = piece;
    return {
      length: notes[at + 1]!,
      lines: notes[at + 2]!,
      column: notes[at + 3]!,
      excerpt: this.excerpt(piece, at + headLength, notes[at + headLength - 1]!),
    };
  }

  private excerpt({ notes, values }: Piece, first: number, count: number): JsonObject | undefined {
    if (count === unread) return undefined;
    const { names } = this;
    const excerpt: Record<string, Json> = {};
    const outer: Record<string, Json>[] = [];
    let into = excerpt;
    for (let at = first; at < first + count; at++) {
      const step = notes[at]!;
      if (step >= 0) into[names[step]!] = values[notes[++at]!]!;
      else if (step === closed) into = outer.pop()!;
      else {
        outer.push(into);
        into = into[names[opened(step)]!] = {};
      }
    }
    return excerpt;
  }
}

interface Piece {
  readonly offset: number;
  readonly notes: Int32Array;
  readonly values: readonly Json[];
}
