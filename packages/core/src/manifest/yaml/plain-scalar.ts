/** Thrown if a text is not plain enough for the quick reader. The text may still be valid. */
export class NotPlain extends Error {}

export function notPlain(): never {
  throw new NotPlain("not plain YAML");
}

/*
 * What a word or number without quotes means, as in `yaml-tree.ts`, which asks the library: YAML 1.1 without base 60
 * and dates.
 */

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

const longestWord = 5;

/** Common numbers; 15 digits are always exact. */
const plainInteger = /^(?:0|-?[1-9][0-9]{0,14})$/;

/** Everything else that may be a number, with signs, underscores, bases and exponents: the library knows what it is. */
const mayBeNumber =
  /^[-+]?(?:0b[01_]+|0x[0-9a-f_]+|(?=[^0-9]*[0-9])[0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|\.(?:inf|nan))$/i;

export function plainScalar(text: string): string | number | boolean | null {
  const first = text.charCodeAt(0);
  // Digits, and the signs `+`, `-` and `.` before them.
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e) {
    if (plainInteger.test(text)) return Number(text);
    return mayBeNumber.test(text) ? notPlain() : text;
  }
  if (text.length <= longestWord) {
    const word = words.get(text);
    if (word !== undefined) return word;
    // `<<` merges, and `=` once meant something.
    if (first === 0x3c || first === 0x3d) return notPlain();
  }
  return text;
}

const backslash = 0x5c;
const doubleQuote = 0x22;

/** A text in quotes that begins here, and where it ends. Its further lines are to the right of `outer`. */
export function quotedScalar(
  text: string,
  at: number,
  quote: number,
  outer: number,
): { readonly value: string; readonly end: number } {
  let escaped = false;
  let long = false;
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === newline) long = true;
    else if (c === backslash && quote === doubleQuote) {
      escaped = true;
      i++;
    } else if (c === quote) {
      if (quote !== doubleQuote && text.charCodeAt(i + 1) === quote) {
        escaped = true;
        i++;
        continue;
      }
      const written = text.slice(at + 1, i);
      const joined = long ? joinLines(written, outer) : written;
      return { value: escaped ? unescape(joined, quote) : joined, end: i + 1 };
    }
  }
  return notPlain();
}

function unescape(written: string, quote: number): string {
  if (quote !== doubleQuote) return written.replaceAll("''", "'");
  try {
    // Escapes that JSON has mean the same in YAML.
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return notPlain();
  }
}

/** Line breaks become spaces. Empty lines and escaped breaks are left to the library. */
function joinLines(written: string, outer: number): string {
  const lines = written.split("\n");
  const parts = lines.map((line, i) => {
    const content = line.replace(/^ +/, "");
    if (i > 0 && (content === "" || line.length - content.length <= outer)) notPlain();
    if (content.includes("\t") || isMarkerLine(line)) notPlain();
    const ended = i === lines.length - 1 ? content : content.replace(/ +$/, "");
    if (i < lines.length - 1 && ended.endsWith("\\")) notPlain();
    return i === 0 ? line.replace(/ +$/, "") : ended;
  });
  return parts.join(" ");
}

const isMarkerLine = (line: string): boolean => /^(?:---|\.\.\.)/.test(line);

const newline = 0x0a;
const space = 0x20;

/** A text introduced by `|` or `>` that begins here, and the line that follows it. It is to the right of `outer`. */
export function blockScalar(
  text: string,
  at: number,
  outer: number,
): { readonly value: string; readonly end: number } {
  const header = /[|>]([-+]?) *\n/y;
  header.lastIndex = at;
  const chomping = header.exec(text)?.[1];
  if (chomping === undefined) return notPlain();
  const folds = text[at] === ">";

  const start = header.lastIndex;
  const indent = indentAt(text, start);
  if (indent <= Math.max(outer, 0)) notPlain();
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
    if (text.charCodeAt(lineStart + found) === newline) notPlain();
    if (found < indent) break;
    // What folds around empty and indented lines is left to the library.
    if (folds && (empty > 0 || found > indent)) notPlain();
    for (; empty > 0; empty--) lines.push("");
    const end = text.indexOf("\n", lineStart);
    lines.push(text.slice(lineStart + indent, end));
    lineStart = end + 1;
  }
  // At the end it is unclear which line breaks are part of the text and which end the file.
  if (lines.length === 0 || (chomping === "+" && lineStart >= text.length)) notPlain();
  const ending = chomping === "-" ? "" : "\n".repeat(chomping === "+" ? 1 + empty : 1);
  return { value: lines.join(folds ? " " : "\n") + ending, end: lineStart };
}

function indentAt(text: string, lineStart: number): number {
  let at = lineStart;
  while (text.charCodeAt(at) === space) at++;
  return at - lineStart;
}
