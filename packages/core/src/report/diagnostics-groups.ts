import { grouped } from "../collections/maps.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Severity } from "../diagnostics/table.js";
import { diagnosticText, type SourceText } from "./diagnostics-text.js";
import type { Style } from "./style.js";

/** The worst first. */
export const severities: readonly Severity[] = ["error", "warning", "note"];

export const worstFirst = <D extends Diagnostic>(found: readonly D[]): readonly D[] =>
  severities.flatMap((severity) => found.filter((one) => one.severity === severity));

export interface DiagnosticsTextOptions {
  readonly sourceText: SourceText;
  readonly style: Style;
  /** Everything in full. */
  readonly verbose: boolean;
  /** How many columns of a quoted line are shown. */
  readonly columns?: number | undefined;
}

/** Of those with one cause, this many are shown in full. */
const shownInFull: Readonly<Record<Severity, number>> = { error: 2, warning: 1, note: 1 };

/** And of this many more, the place. */
const placesShown = 3;

/** Diagnostics for a person, each ready to be printed: errors first, and those with one cause together. */
export function diagnosticsText(
  found: readonly Diagnostic[],
  { sourceText, style, verbose, columns }: DiagnosticsTextOptions,
): readonly string[] {
  const inOrder = worstFirst(found);
  const full = (one: Diagnostic) => diagnosticText(one, sourceText, style, columns);
  if (verbose) return inOrder.map(full);
  return [...grouped(inOrder, causeOf).values()].flatMap((group) => {
    const shown = group.slice(0, shownInFull[group[0].severity]);
    const others = group.slice(shown.length);
    if (others.length === 0) return shown.map(full);
    return [...shown.map(full).slice(0, -1), `${full(shown.at(-1)!)}\n${style.dim(othersText(others))}`];
  });
}

/** `  18 more like this (-v): a.yaml:3, 12, b.yaml:1, …`. */
export function othersText(others: readonly Diagnostic[]): string {
  const places = others.flatMap(({ place }) => place ?? []);
  const some = places
    .slice(0, placesShown)
    .map(({ file, line }, i) => (places[i - 1]?.file === file ? `${line}` : `${file}:${line}`));
  if (places.length > placesShown) some.push("…");
  return `  ${others.length} more like this (-v)${some.length === 0 ? "" : `: ${some.join(", ")}`}`;
}

/** An error has the cause of another if only their objects and places differ; a warning if their codes are the same. */
function causeOf({ code, severity, message, object }: Diagnostic): string {
  if (severity !== "error") return code;
  const unnamed = object === undefined ? message : message.replaceAll(object, "");
  return `${code} ${unnamed.replace(/\S+:\d+(?::\d+)?/g, "")}`;
}
