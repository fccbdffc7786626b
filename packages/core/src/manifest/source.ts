import type { Outline } from "./excerpt.js";
import type { SurveyedChunk } from "./survey-notes.js";

/** A text in hand, and the name it goes by in messages. */
export interface TextSource {
  readonly file: string;
  readonly text: string;
}

/** A text that is too long to be held: it comes piece by piece in UTF-8, and is asked for once. */
export interface ChunkedSource {
  readonly file: string;
  /** Each is done with before the next is asked for, which may take its place in memory. */
  readonly chunks: () => Iterable<Uint8Array>;
  /**
   * The same bytes, with notes of the objects in them that somebody takes meanwhile (`surveyJson`), who knows of which parts
   * excerpts are made. Undefined where that is of no use.
   */
  readonly surveyed?: (outline: Outline) => Iterable<SurveyedChunk> | undefined;
}

export type Source = TextSource | ChunkedSource;
