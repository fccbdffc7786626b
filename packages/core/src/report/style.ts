/** How to emphasise text where it is shown. Colour is never the only signal: words and marks say the same. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly unsure: (text: string) => string;
}

const plain = (text: string): string => text;

export const noStyle: Style = { bold: plain, dim: plain, good: plain, bad: plain, unsure: plain };

/** A first line that begins with `lead`, and as many more, each indented, as it takes to stay within `columns`. */
export function wrap(lead: string, text: string, indent: string, columns = 80): string {
  const lines: string[] = [];
  let line = lead;
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && visibleLength(line) + 1 + visibleLength(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join("\n");
}

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** Without the escape sequences that colour it. */
function visibleLength(text: string): number {
  return text.replace(escapes, "").length;
}
