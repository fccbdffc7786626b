import type { Path } from "../../diagnostics/place.js";

/*
 * Finds its way through block mappings and lists of plain YAML by their indentation, without a syntax tree. It knows only
 * what machines write, one field a line; undefined is for everything else, and somebody else has to look.
 */

/** A mapping or a list that stands on lines of its own. */
export interface Block {
  /** Its first character, and the column of that, counted from 0. */
  readonly start: number;
  readonly column: number;
  /** Behind its last line. */
  readonly end: number;
}

/** A text, and those of its lines that are neither empty nor a comment. */
export interface Page {
  readonly text: string;
  readonly lines: readonly Line[];
}

interface Line {
  readonly offset: number;
  /** Where it begins, behind the spaces. */
  readonly column: number;
}

/** The lines of a block, to be looked through more than once. */
export function pageOf(text: string, { start, column, end }: Block): Page {
  const lines: Line[] = [];
  for (let offset = start - column; offset < end; ) {
    let at = offset;
    while (text[at] === " ") at++;
    const first = text[at];
    if (first !== undefined && first !== "\n" && first !== "\r" && first !== "#")
      lines.push({ offset, column: at - offset });
    const lineEnd = text.indexOf("\n", at);
    if (lineEnd === -1) break;
    offset = lineEnd + 1;
  }
  return { text, lines };
}

/** Where the key at the end of a path begins. */
export function keyIn(page: Page, block: Block, path: Path): number | undefined {
  const last = path.at(-1);
  const around = blockIn(page, block, path.slice(0, -1));
  return around === undefined || typeof last !== "string" ? undefined : keyStart(page.text, around, last);
}

/** The mapping or list at a path; only one that takes several lines is sure to be one. */
export function blockIn(page: Page, block: Block, path: Path): Block | undefined {
  let found: Block | undefined = block;
  for (const step of path) {
    if (found === undefined) return undefined;
    found = typeof step === "number" ? itemOf(page, found, step) : fieldOf(page, found, step);
  }
  return found;
}

/** Whether there is more than its first line. */
export function takesSeveralLines(page: Page, { start, end }: Block): boolean {
  const [next] = linesBetween(page, start, end);
  return next !== undefined;
}

function fieldOf(page: Page, block: Block, key: string): Block | undefined {
  const { text } = page;
  const at = keyStart(text, block, key);
  if (at === undefined) return undefined;
  const lineEnd = text.indexOf("\n", at);
  if (lineEnd === -1 || text.slice(at + key.length + 1, lineEnd).trim() !== "") return undefined;
  const [first] = linesBetween(page, lineEnd + 1, block.end);
  if (first === undefined) return undefined;
  const { offset, column } = first;
  const isList = text.startsWith("- ", offset + column);
  // A list may stand in the column of its key.
  if (column < block.column || (column === block.column && !isList)) return undefined;
  for (const line of linesBetween(page, offset, block.end)) {
    const isBehind =
      line.column < column ||
      (line.column === column && isList && !text.startsWith("- ", line.offset + column));
    if (isBehind) return { start: offset + column, column, end: line.offset };
  }
  return { start: offset + column, column, end: block.end };
}

function itemOf(page: Page, { start, column, end }: Block, index: number): Block | undefined {
  const { text } = page;
  if (!text.startsWith("- ", start)) return undefined;
  const dashes: number[] = [];
  for (const line of linesBetween(page, start - column, end))
    if (line.column === column && dashes.push(line.offset) > index + 1) break;
  const from = dashes[index];
  // Behind the dash stands one space, and then a mapping.
  if (from === undefined || !/[\w"'$]/.test(text[from + column + 2] ?? "")) return undefined;
  return { start: from + column + 2, column: column + 2, end: dashes[index + 1] ?? end };
}

function keyStart(text: string, { start, column, end }: Block, key: string): number | undefined {
  const isKey = (at: number) =>
    text.startsWith(`${key}:`, at) && /\s/.test(text[at + key.length + 1] ?? "\n");
  if (isKey(start)) return start;
  const line = `\n${" ".repeat(column)}${key}:`;
  for (let at = text.indexOf(line, start); at !== -1 && at + 1 < end; at = text.indexOf(line, at + 1))
    if (isKey(at + 1 + column)) return at + 1 + column;
  return undefined;
}

/** The lines that begin from here on, and before there. */
function* linesBetween({ lines }: Page, from: number, to: number): Iterable<Line> {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.offset < from) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < lines.length && lines[i]!.offset < to; i++) yield lines[i]!;
}
