import { declined } from "./declined.js";

const newline = 0x0a;
const space = 0x20;

/** A text introduced by `|` or `>` that begins here, and the line that follows it. It stands to the right of `outer`. */
export function blockScalar(
  text: string,
  at: number,
  outer: number,
): { readonly value: string; readonly end: number } {
  const header = /[|>]([-+]?) *\n/y;
  header.lastIndex = at;
  const chomping = header.exec(text)?.[1];
  if (chomping === undefined) return declined();
  const folds = text[at] === ">";

  const start = header.lastIndex;
  const indent = indentAt(text, start);
  if (indent <= Math.max(outer, 0)) declined();
  const lines: string[] = [];
  let empty = 0;
  let lineStart = start;
  while (lineStart < text.length) {
    if (text.charCodeAt(lineStart) === newline) {
      empty++;
      lineStart++;
      continue;
    }
    const found = indentAt(text, lineStart);
    if (text.charCodeAt(lineStart + found) === newline) declined();
    if (found < indent) break;
    // What folds around empty and indented lines is left to the library.
    if (folds && (empty > 0 || found > indent)) declined();
    for (; empty > 0; empty--) lines.push("");
    const end = text.indexOf("\n", lineStart);
    lines.push(text.slice(lineStart + indent, end));
    lineStart = end + 1;
  }
  // Where nothing is left, who can tell which line breaks are part of the text and which end the file.
  if (lines.length === 0 || (chomping === "+" && lineStart >= text.length)) declined();
  const ending = chomping === "-" ? "" : "\n".repeat(chomping === "+" ? 1 + empty : 1);
  return { value: lines.join(folds ? " " : "\n") + ending, end: lineStart };
}

function indentAt(text: string, lineStart: number): number {
  let at = lineStart;
  while (text.charCodeAt(at) === space) at++;
  return at - lineStart;
}
