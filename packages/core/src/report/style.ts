/** How text is emphasised. Colour is never the only signal: words and marks have the same information. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly unsure: (text: string) => string;
}

/** How a report is written as text. */
export interface TextOptions {
  readonly style: Style;
  /** Everything, instead of what fits on a screen. */
  readonly verbose?: boolean;
}

const plain = (text: string): string => text;

export const noStyle: Style = { bold: plain, dim: plain, good: plain, bad: plain, unsure: plain };

/**
 * A first line that begins with `lead`, and as many more, each indented, as it takes to stay within `columns`. What is in quotes
 * stays on one line: a name must not choose what a line begins with.
 */
export function wrap(lead: string, text: string, indent: string, columns = 80): string {
  const lines: string[] = [];
  let line = lead;
  let empty = true;
  for (const word of wordsOf(text)) {
    const fits = visibleLength(line) + 1 + visibleLength(word) <= columns;
    if (!empty && !fits && !mayNotBeginLine.test(word)) {
      lines.push(line);
      line = indent + word;
    } else line += empty || line === indent ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join("\n");
}

/** What a CI system obeys at the beginning of a line, and a file may be called; and the marks of verdicts, which a name may contain. */
const mayNotBeginLine = /^(?:(?:::|##)(?!\/)|[✓✗]|[?!~]$)/;

function wordsOf(text: string): readonly string[] {
  const kept = text.replace(/"(?:\\.|[^"\\])*"/g, (quoted) => quoted.replaceAll(" ", keptSpace));
  return kept.split(" ").map((word) => word.replaceAll(keptSpace, " "));
}

/** Names contain no such character here. */
const keptSpace = "\0";

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** Without the escape sequences that colour it. */
export function visibleLength(text: string): number {
  return text.replace(escapes, "").length;
}
