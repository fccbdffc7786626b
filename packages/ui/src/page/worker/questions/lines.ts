/* Parts of a YAML text by their indentation. Lines are counted from one, as editors do. */

export type Lines = readonly [first: number, last: number];

/** The object that begins on this line, with the comments right above it. */
export function objectAround(lines: readonly string[], start: number): Lines {
  let first = start;
  while (first > 1 && /^\s*#/.test(lines[first - 2]!)) first--;
  const own = lines[start - 1] ?? "";
  const indent = indentOf(own);
  const isItem = own.trimStart().startsWith("- ");
  let last = start;
  for (let at = start + 1; at <= lines.length; at++) {
    const line = lines[at - 1]!;
    if (/^(---|\.\.\.)(\s|$)/.test(line)) break;
    if (isEmpty(line)) continue;
    if (indentOf(line) < indent || (isItem && indentOf(line) === indent)) break;
    last = at;
  }
  return [first, last];
}

/** The item or field that begins on this line: all that is indented further belongs to it. */
export function blockAt(lines: readonly string[], start: number): Lines {
  const own = lines[start - 1] ?? "";
  const indent = indentOf(own);
  // The items of a field may stand as far left as its key.
  const isField = !own.trimStart().startsWith("-");
  let last = start;
  for (let at = start + 1; at <= lines.length; at++) {
    const line = lines[at - 1]!;
    if (isEmpty(line)) continue;
    const isItemOfField = isField && indentOf(line) === indent && line.trimStart().startsWith("- ");
    if (indentOf(line) <= indent && !isItemOfField) break;
    last = at;
  }
  return [start, last];
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const isEmpty = (line: string): boolean => /^\s*(#.*)?$/.test(line);
