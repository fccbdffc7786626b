import type { Matrix } from "../analysis/matrix/matrix.js";
import { bySource, cellText, isPodless, legendOf, ShortNames, type SourceGroup } from "./matrix-groups.js";
import { headline, summaryOf } from "./matrix-summary.js";
import { type Style, wrap } from "./style.js";

export interface MatrixTextOptions {
  readonly style: Style;
  readonly denied: boolean;
  /** How many lines a reader has time for; without it, all. */
  readonly lines?: number;
}

const column = 22;

/** How many can connect, then source by source what each can reach, the same ports together. */
export function* matrixText(matrix: Matrix, { style, denied, lines }: MatrixTextOptions): Iterable<string> {
  const summary = summaryOf(matrix);
  yield `${style.bold(headline(summary))}, among ${summary.parties}`;
  const names = new ShortNames(matrix);
  const texts = new Set<string>();
  let left = lines ?? Infinity;
  let unshown = 0;
  for (const source of bySource(matrix.connections({ denied }))) {
    if (left <= 0) {
      unshown++;
      continue;
    }
    const shown = sourceLines(source, names, texts, style);
    left -= shown.length;
    yield* shown;
  }
  const notes = legendOf(texts);
  if (matrix.parties.some(isPodless))
    notes.push("Nodes reach each other and every external address: no policies apply to them.");
  if (unshown > 0)
    notes.push(`…and ${unshown} more sources (-o json for all; --from, --to, -n and -l for less)`);
  if (notes.length > 0) yield "";
  for (const note of notes) yield style.dim(note);
}

function sourceLines(
  source: SourceGroup,
  names: ShortNames,
  texts: Set<string>,
  style: Style,
): readonly string[] {
  const lines = ["", `${style.bold(source.name)} →`];
  for (const { cell, to } of source.reached) {
    const ports = cellText(cell);
    texts.add(ports);
    const mark = cell.allowed.length > 0 ? style.good : cell.undecided.length > 0 ? style.unsure : style.bad;
    const destinations = names.of(source, to).join(", ");
    const indent = " ".repeat(2 + column);
    if (ports.length < column)
      lines.push(wrap(`  ${mark(ports)}${" ".repeat(column - ports.length)}`, destinations, indent));
    else lines.push(`  ${mark(ports)}`, wrap(indent, destinations, indent));
  }
  return lines.flatMap((line) => line.split("\n"));
}
