import type { Caveat } from "../state/caveat.js";
import { markdownText } from "./markdown.js";
import type { JsonValue } from "./explanation/explanation-json.js";
import { type Style, wrap } from "./style.js";

/** How many are shown below an answer, besides those that are always shown; the rest is counted. */
const mostShown = 5;

/** Caveats about incomplete answers, which are always shown. */
const alwaysShown: ReadonlySet<Caveat["kind"]> = new Set(["ignored", "unseen", "undecided"]);

interface Shown {
  readonly shown: readonly Caveat[];
  readonly more: number;
}

export function shownCaveats(caveats: readonly Caveat[]): Shown {
  const others = caveats.filter(({ kind }) => !alwaysShown.has(kind));
  const room = Math.max(0, mostShown - (caveats.length - others.length));
  const left = new Set(others.slice(room));
  return { shown: caveats.filter((caveat) => !left.has(caveat)), more: left.size };
}

/** `2 more caveats`. */
export const moreCaveats = (more: number): string => `${more} more ${more === 1 ? "caveat" : "caveats"}`;

/** The caveats of an answer, one per line, to be printed directly below the verdict. */
export function caveatLines(caveats: readonly Caveat[], style: Style, verbose = false): readonly string[] {
  const { shown, more }: Shown = verbose ? { shown: caveats, more: 0 } : shownCaveats(caveats);
  return [
    ...shown.map(({ text }) => wrap(`${style.unsure("! caveat:")} `, text, "    ")),
    ...(more > 0 ? [style.dim(`! ${moreCaveats(more)} (-v shows them)`)] : []),
  ];
}

/** The same above a text. */
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
  const { shown, more } = shownCaveats(caveats);
  return [
    ...shown.map(({ text }) => `> **Caveat:** ${markdownText(text)}`),
    ...(more > 0 ? [`> ${moreCaveats(more)} (\`-o json\` lists them)`] : []),
    "",
  ];
}

export const caveatsJson = (caveats: readonly Caveat[]): JsonValue =>
  caveats.map((caveat) => ({ ...caveat }));
