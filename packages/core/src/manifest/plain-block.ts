import type { Path } from "../diagnostics/place.js";

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

/** Where the key at the end of a path begins. */
export function keyIn(text: string, block: Block, path: Path): number | undefined {
  const last = path.at(-1);
  const around = blockIn(text, block, path.slice(0, -1));
  return around === undefined || typeof last !== "string" ? undefined : keyStart(text, around, last);
}

/** The mapping or list at a path; only one that takes several lines is sure to be one. */
export function blockIn(text: string, block: Block, path: Path): Block | undefined {
  let found: Block | undefined = block;
  for (const step of path) {
    if (found === undefined) return undefined;
    found = typeof step === "number" ? itemOf(text, found, step) : fieldOf(text, found, step);
  }
  return found;
}

/** Whether there is more than its first line. */
export function takesSeveralLines(text: string, { start, end }: Block): boolean {
  const next = text.indexOf("\n", start);
  return next !== -1 && contentLines(text, next + 1, end).next().done === false;
}

function fieldOf(text: string, block: Block, key: string): Block | undefined {
  const at = keyStart(text, block, key);
  if (at === undefined) return undefined;
  const lineEnd = text.indexOf("\n", at);
  if (lineEnd === -1 || text.slice(at + key.length + 1, lineEnd).trim() !== "") return undefined;
  const [first] = contentLines(text, lineEnd + 1, block.end);
  if (first === undefined) return undefined;
  const { offset, column } = first;
  const isList = text.startsWith("- ", offset + column);
  // A list may stand in the column of its key.
  if (column < block.column || (column === block.column && !isList)) return undefined;
  for (const line of contentLines(text, offset, block.end)) {
    const isBehind =
      line.column < column ||
      (line.column === column && isList && !text.startsWith("- ", line.offset + column));
    if (isBehind) return { start: offset + column, column, end: line.offset };
  }
  return { start: offset + column, column, end: block.end };
}

function itemOf(text: string, { start, column, end }: Block, index: number): Block | undefined {
  if (!text.startsWith("- ", start)) return undefined;
  const dashes: number[] = [];
  for (const line of contentLines(text, start - column, end))
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

/** Lines that are neither empty nor a comment, and the column where they begin. */
function* contentLines(
  text: string,
  from: number,
  to: number,
): Generator<{ offset: number; column: number }, undefined> {
  for (let offset = from; offset < to; ) {
    const lineEnd = text.indexOf("\n", offset);
    let column = 0;
    while (text[offset + column] === " ") column++;
    const first = text[offset + column];
    if (first !== undefined && first !== "\n" && first !== "\r" && first !== "#") yield { offset, column };
    if (lineEnd === -1) return;
    offset = lineEnd + 1;
  }
}
