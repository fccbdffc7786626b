import type { Beginning } from "../lines.js";

/** The part of a long text that is being looked at: it grows at its end, and what is done with is dropped. */
export class TextWindow {
  /** From the first character that has not been dropped. */
  text = "";
  private readonly chunks: Iterator<string>;
  /** Whether all of the text has been read. */
  ended = false;
  /** What stands before this has been counted. */
  private counted = 0;
  private line = 1;
  private column = 1;

  constructor(chunks: Iterable<string>) {
    this.chunks = chunks[Symbol.iterator]();
    if (this.more(0) && this.text.startsWith("\uFEFF")) this.text = this.text.slice(1);
  }

  /** Drops what stands before `from`, which becomes 0, and reads on; false, and nothing is dropped, where there is no more. */
  more(from: number): boolean {
    const kept = this.text.length - from;
    let added = "";
    // What is kept is copied: as much again is read, lest a long value be copied over and over.
    while (!this.ended && added.length <= kept) {
      const next = this.chunks.next();
      if (next.done === true) this.ended = true;
      else added += next.value;
    }
    if (added === "") return false;
    this.count(from);
    this.counted -= from;
    this.text = this.text.slice(from) + added;
    return true;
  }

  /** Where this stands in the whole text. Asked from front to back: what was counted is not counted again. */
  positionOf(at: number): Beginning {
    this.count(at);
    return { line: this.line, column: this.column };
  }

  private count(to: number): void {
    if (to <= this.counted) return;
    // Cut out first: the search for a line break must end here, not at the next one.
    const passed = this.text.slice(this.counted, to);
    let last = -1;
    for (let at = passed.indexOf("\n"); at !== -1; at = passed.indexOf("\n", at + 1)) {
      this.line++;
      last = at;
    }
    this.column = last === -1 ? this.column + passed.length : passed.length - last;
    this.counted = to;
  }
}
