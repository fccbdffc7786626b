import type { Place } from "../diagnostics/place.js";

/** Where a text begins in its file, counted from 1. */
export interface Beginning {
  readonly line: number;
  readonly column: number;
}

export const ofFile: Beginning = { line: 1, column: 1 };

/** Turns offsets into a text into lines and columns of its file. The index is made on first use. */
export class Lines {
  private starts: number[] | undefined;

  constructor(
    private readonly file: string,
    private readonly text: string,
    private readonly beginning = ofFile,
  ) {}

  place(start: number, end: number): Place {
    const starts = (this.starts ??= lineStarts(this.text));
    const offset = Math.max(0, Math.min(start, this.text.length));
    const line = lastAtMost(starts, offset);
    const nextLine = starts[line + 1];
    const newline = nextLine === undefined ? this.text.length : nextLine - 1;
    const lineEnd = this.text[newline - 1] === "\r" ? newline - 1 : newline;
    const length = Math.max(1, Math.min(end, lineEnd) - offset);
    const before = line === 0 ? this.beginning.column : 1;
    return {
      file: this.file,
      line: this.beginning.line + line,
      column: before + offset - starts[line]!,
      length,
    };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last entry that is not greater than `value`. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
