import type { Caveat } from "../../state/caveat.js";
import type { Matrix } from "../../analysis/matrix/matrix.js";
import { caveatsMarkdown } from "../caveats.js";
import { bySource, cellText, legendOf, ShortNames } from "./matrix-groups.js";
import { markdownCode } from "../markdown.js";
import { headline, summaryOf } from "./matrix-summary.js";

/** A table for pull requests and wikis, one row for all that a source reaches on the same ports. */
export function* matrixMarkdown(
  matrix: Matrix,
  { denied, caveats = [] }: { readonly denied: boolean; readonly caveats?: readonly Caveat[] },
): Iterable<string> {
  const summary = summaryOf(matrix);
  yield `**${headline(summary)}**, among ${summary.parties}`;
  yield "";
  yield* caveatsMarkdown(caveats);
  yield "| from | to | ports |";
  yield "|---|---|---|";
  const names = new ShortNames(matrix);
  const texts = new Set<string>();
  for (const source of bySource(matrix.connections({ denied })))
    for (const { cell, to } of source.reached) {
      const ports = cellText(cell);
      texts.add(ports);
      const destinations = names.of(source, to).map(markdownCode).join(", ");
      yield `| ${markdownCode(source.name)} | ${destinations} | ${ports.replaceAll("~", "\\~")} |`;
    }
  for (const note of legendOf(texts)) yield `\n${note.replaceAll("~", "\\~")}`;
}
