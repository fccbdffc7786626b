import { byteOrderMark, ByteWindow } from "./byte-window.js";
import type { Outline } from "./excerpt.js";
import { JsonExcerpts } from "./json-excerpt.js";
import { Broken, JsonScanner, openingBrace, Unfinished } from "./json-scanner.js";
import { ofFile } from "./lines.js";
import { listHead } from "./list-head.js";
import { type SurveyedChunk, SurveyNotes, withoutNotes } from "./survey-notes.js";

/**
 * Goes ahead of a reader: the same bytes in other pieces, with notes of the objects in them. Whatever is not an item of one
 * long list, or not JSON, is handed on without notes, for the reader to judge.
 */
export function* surveyJson(chunks: Iterable<Uint8Array>, outline: Outline): Iterable<SurveyedChunk> {
  const window = new ByteWindow(chunks);
  if (window.offset > 0) yield withoutNotes(Uint8Array.from(byteOrderMark));
  const survey = new JsonSurvey(window, outline);
  yield* survey.pieces();
  for (const bytes of window.rest(survey.at)) yield withoutNotes(bytes);
}

class JsonSurvey {
  /** In the window, as far as it has been handed on or is being noted. */
  at = 0;
  private readonly scanner: JsonScanner;
  private readonly excerpts: JsonExcerpts;
  private readonly notes = new SurveyNotes();
  private isFirst = true;

  constructor(window: ByteWindow, outline: Outline) {
    this.scanner = new JsonScanner(window);
    this.excerpts = new JsonExcerpts(this.scanner, outline);
  }

  /** Up to the last item that can be noted. */
  *pieces(): Iterable<SurveyedChunk> {
    const { scanner, notes } = this;
    let next = this.firstItem();
    while (next !== undefined) {
      notes.begin();
      const { at, goesOn } = this.noteItems(next);
      this.at = at;
      if (at > 0) yield notes.about(scanner.bytes.subarray(0, at));
      if (!goesOn || !scanner.more(at)) return;
      this.at = next = 0;
    }
  }

  /** Where the items of the list begin; undefined where this is no list, or does not say so soon. */
  private firstItem(): number | undefined {
    const { scanner } = this;
    for (;;) {
      const found = this.unlessItEnds(() => listHead(scanner, scanner.space(0))?.end);
      if (found !== "unfinished") return found === "broken" ? undefined : found;
      if (scanner.length > longestHead || !scanner.more(0)) return undefined;
      scanner.returnTo(0, ofFile);
    }
  }

  /** All that are whole in the window: where the last one ends, and whether there may be more behind the window. */
  private noteItems(at: number): { readonly at: number; readonly goesOn: boolean } {
    for (;;) {
      const beginning = this.scanner.position(at);
      const found = this.unlessItEnds(() => this.noteItem(at));
      if (typeof found === "number") at = found;
      else {
        this.scanner.returnTo(at, beginning);
        return { at, goesOn: found === "unfinished" };
      }
    }
  }

  /** Where it ends; undefined where something else stands there. */
  private noteItem(at: number): number | undefined {
    const { scanner } = this;
    const start = this.isFirst ? scanner.space(at) : scanner.comma(scanner.space(at));
    if (scanner.bytes[start] !== openingBrace && start < scanner.length) return undefined;
    const end = this.excerpts.note(start, this.notes);
    this.isFirst = false;
    return end;
  }

  private unlessItEnds<T>(find: () => T): T | "broken" | "unfinished" {
    try {
      return find();
    } catch (cause) {
      if (cause instanceof Broken) return "broken";
      if (cause instanceof Unfinished) return "unfinished";
      throw cause;
    }
  }
}

const longestHead = 64 * 1024;
