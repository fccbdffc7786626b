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
const indent = " ".repeat(2 + column);

/** How many can connect, then what each source can reach: the same ports together, and sources that reach the same. */
export function* matrixText(
  matrix: Matrix,
  { style, denied, lines, caveats = [] }: MatrixTextOptions,
): Iterable<string> {
  const summary = summaryOf(matrix);
  yield `${style.bold(headline(summary))}, among ${summary.parties}`;
  yield* caveatLines(caveats, style);
  const names = new ShortNames(matrix);
  const texts = new Set<string>();
  const reachedBy = (source: SourceGroup) =>
    source.reached.map(({ cell, to }) => {
      const ports = cellText(cell);
      texts.add(ports);
      const mark =
        cell.allowed.length > 0 ? style.good : cell.undecided.length > 0 ? style.unsure : style.bad;
      const destinations = names.of(source, to).join(", ");
      return ports.length < column
        ? wrap(`  ${mark(ports)}${" ".repeat(column - ports.length)}`, destinations, indent)
        : `  ${mark(ports)}\n${wrap(indent, destinations, indent)}`;
    });
  const byText = new Map<string, string[]>();
  for (const source of bySource(matrix.connections({ denied })))
    getOrInsert(byText, reachedBy(source).join("\n"), () => []).push(style.bold(source.name));
  let left = lines ?? Infinity;
  let unshown = 0;
  for (const [reached, sources] of byText) {
    if (left <= 0) {
      unshown += sources.length;
      continue;
    }
    const shown = ["", ...wrap("", `${sources.join(", ")} →`, "").split("\n"), reached];
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
