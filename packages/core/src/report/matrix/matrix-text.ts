import { getOrInsert } from "../../collections/maps.js";
import type { Caveat } from "../../state/caveat.js";
import type { Matrix } from "../../analysis/matrix/matrix.js";
import { caveatLines } from "../caveats.js";
import { bySource, cellText, legendOf, ShortNames, type SourceGroup } from "./matrix-groups.js";
import { headline, summaryOf } from "./matrix-summary.js";
import { type Style, wrap } from "../style.js";

export interface MatrixTextOptions {
  readonly style: Style;
  readonly denied: boolean;
  readonly caveats?: readonly Caveat[];
  /** The limit of lines; by default all. */
  readonly lines?: number;
}

const column = 22;

/** How many can connect, then what each source can reach: the same ports together, and sources that reach the same. */
export function* matrixText(
  matrix: Matrix,
  { style, denied, lines, caveats = [] }: MatrixTextOptions,
): Iterable<string> {
  const summary = summaryOf(matrix);
  yield `${style.bold(headline(summary))}, among ${summary.parties}`;
  yield* caveatLines(caveats, style);
  const texts = new Set<string>();
  const sources = sourcesByLines(matrix, denied, texts, style);
  let left = lines ?? Infinity;
  let unshown = 0;
  for (const [reached, names] of sources) {
    if (left <= 0) {
      unshown += names.length;
      continue;
    }
    const shown = ["", ...wrap("", `${names.map(style.bold).join(", ")} →`, "").split("\n"), reached];
    left -= shown.length + reached.split("\n").length;
    yield* shown;
  }
  const notes = legendOf(texts);
  if (summary.hasPodless)
    notes.push("Nodes reach each other and every external address: no policies apply to them.");
  if (unshown > 0)
    notes.push(
      `…and ${unshown.toLocaleString("en")} more sources (-o json for all; --from, --to, -n and -l for less)`,
    );
  if (notes.length > 0) yield "";
  for (const note of notes) yield style.dim(note);
}

/** The names of sources by their text, for sources with the same text. */
function sourcesByLines(
  matrix: Matrix,
  denied: boolean,
  texts: Set<string>,
  style: Style,
): ReadonlyMap<string, readonly string[]> {
  const names = new ShortNames(matrix);
  const found = new Map<string, string[]>();
  for (const source of bySource(matrix.connections({ denied }))) {
    const lines = reachedLines(source, names, texts, style).join("\n");
    getOrInsert(found, lines, () => []).push(source.name);
  }
  return found;
}

function reachedLines(
  source: SourceGroup,
  names: ShortNames,
  texts: Set<string>,
  style: Style,
): readonly string[] {
  const indent = " ".repeat(2 + column);
  return source.reached.flatMap(({ cell, to }) => {
    const ports = cellText(cell);
    texts.add(ports);
    const mark = cell.allowed.length > 0 ? style.good : cell.undecided.length > 0 ? style.unsure : style.bad;
    const destinations = names.of(source, to).join(", ");
    if (ports.length < column)
      return [wrap(`  ${mark(ports)}${" ".repeat(column - ports.length)}`, destinations, indent)];
    return [`  ${mark(ports)}`, wrap(indent, destinations, indent)];
  });
}
