import type { TextEdit } from "./finding.js";

/** A piece of a text: from the first character to behind the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One text, and the changes that were decided on. Nothing is changed twice. */
export class EditedText {
  private readonly starts: readonly number[];
  private readonly accepted: { readonly span: Span; readonly text: string }[] = [];

  constructor(private readonly original: string) {
    this.starts = lineStarts(original);
  }

  isFree(edit: TextEdit): boolean {
    const { from, to } = this.spanOf(edit);
    return this.accepted.every(({ span }) => to <= span.from || span.to <= from);
  }

  add(edit: TextEdit): void {
    this.accepted.push({ span: this.spanOf(edit), text: edit.kind === "replace" ? edit.text : "" });
  }

  /** From its end to its beginning, so that each change finds its place. */
  toString(): string {
    return this.accepted
      .toSorted((a, b) => b.span.from - a.span.from)
      .reduce(
        (text, { span, text: put }) => text.slice(0, span.from) + put + text.slice(span.to),
        this.original,
      );
  }

  private spanOf(edit: TextEdit): Span {
    const startOf = (line: number) => this.starts[line - 1] ?? this.original.length;
    switch (edit.kind) {
      case "replace": {
        const from = startOf(edit.place.line) + edit.place.column - 1;
        return { from, to: from + edit.place.length };
      }
      case "delete-lines":
        return { from: startOf(edit.first), to: startOf(edit.last + 1) };
    }
  }
}

/** Places are counted without the mark that some editors put in front of a text. */
function lineStarts(text: string): readonly number[] {
  const starts = [text.startsWith("\uFEFF") ? 1 : 0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
