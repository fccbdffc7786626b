import type { Caveat } from "../state/caveat.js";
import { markdownText } from "./markdown.js";
import type { JsonValue } from "./explanation-json.js";
import { type Style, wrap } from "./style.js";

/** So many are shown below an answer; the rest is counted. */
const shown = 5;

/** What has to be known beside an answer, a line each: to stand right below the verdict. */
export function caveatLines(caveats: readonly Caveat[], style: Style, verbose = false): readonly string[] {
  const most = verbose ? Infinity : shown;
  const more = caveats.length - most;
  return [
    ...caveats.slice(0, most).map(({ text }) => wrap(`${style.unsure("! caveat:")} `, text, "    ")),
    ...(more > 0 ? [style.dim(`! ${more} more ${more === 1 ? "caveat" : "caveats"} (-v shows them)`)] : []),
  ];
}

/** The same above a text that tells what was asked. */
export function belowCaveats(
  text: string,
  caveats: readonly Caveat[],
  { style, verbose = false }: { readonly style: Style; readonly verbose?: boolean },
): string {
  return caveats.length === 0 ? text : [...caveatLines(caveats, style, verbose), "", text].join("\n");
}

/** For pull requests and wikis: a quotation above the table. */
export function caveatsMarkdown(caveats: readonly Caveat[]): readonly string[] {
  if (caveats.length === 0) return [];
  return [...caveats.slice(0, shown).map(({ text }) => `> **Caveat:** ${markdownText(text)}`), ""];
}

export const caveatsJson = (caveats: readonly Caveat[]): JsonValue =>
  caveats.map((caveat) => ({ ...caveat }));
