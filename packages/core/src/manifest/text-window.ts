import type { Beginning } from "./lines.js";

/** The part of a long text that is being read: it grows at its end, and parts that were read are dropped. */
export class TextWindow {
  /** From the first character that has not been dropped. */
  text = "";
  private readonly chunks: Iterator<string>;
  /** Whether all of the text has been read. */
  ended = false;
  /** Everything before this has been counted. */
  private counted = 0;
  private line = 1;
  private column = 1;

  constructor(chunks: Iterable<string>) {
    this.chunks = chunks[Symbol.iterator]();
    if (this.more(0) && this.text.startsWith("\uFEFF")) this.text = this.text.slice(1);
  }

  /** Drops everything before `from`, which becomes 0, and reads on; false, and nothing is dropped, at the end of the text. */
  more(from: number): boolean {
    const kept = this.text.length - from;
    let added = "";
    // The rest is copied, so the window doubles: a long value must not be copied over and over.
    while (!this.ended && added.length <= kept) {
      const next = this.chunks.next();
      if (next.done === true) this.ended = true;
      else added += next.value;
    }
    if (added === "") return false;
    this.count(from);
    this.counted -= from;
    // One flat text: reading characters of a concatenation is several times slower.
    this.text = [this.text.slice(from), added].join("");
    return true;
  }

  /** Where this is in the whole text. Asked from front to back: what was counted is not counted again. */
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
