import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Severity } from "../diagnostics/table.js";
import { formatPath } from "../diagnostics/place.js";
import { visibleLines } from "../diagnostics/visible.js";
import { type Style, wrap } from "./style.js";

/** Provides the text of a file, to show the lines around a mistake. */
export type SourceText = (file: string) => string | SourceLines | undefined;

/** Lines of a text that is not in memory, from the first to the last, counted from 1; undefined if not available. */
export type SourceLines = (first: number, last: number) => readonly string[] | undefined;

/**
 * A diagnostic for a person: place and message, the lines around it with a caret, the object, and what to do. Of the lines, as many
 * columns are shown.
 */
export function diagnosticText(
  found: Diagnostic,
  sourceText: SourceText,
  style: Style,
  columns: number = usualColumns,
  linesBefore = 2,
): string {
  const { place, code, severity, message, object, path, hint } = found;
  const paint = paintOf(severity, style);
  const where = place === undefined ? "" : `${style.bold(`${place.file}:${place.line}:${place.column}`)}  `;
  const parts = [`${where}${paint(`${severity} ${code}`)}  ${message}`];
  if (place !== undefined && severity !== "note") {
    const frame = codeFrame(found, sourceText, style, columns, linesBefore);
    if (frame !== undefined) parts.push("", frame);
  }
  const about = [object, path === undefined || path.length === 0 ? undefined : formatPath(path)].filter(
    (part) => part !== undefined,
  );
  if (about.length > 0) parts.push(`  ${style.dim(about.join(" · "))}`);
  if (hint !== undefined) parts.push(wrap("  ", hint, "  "));
  return parts.join("\n");
}

export const paintOf = (severity: Severity, style: Style): Style["bold"] =>
  severity === "error" ? style.bad : severity === "warning" ? style.unsure : style.dim;

/** A few lines before the place, the line itself, and a caret under what is meant. */
function codeFrame(
  { place }: Diagnostic,
  sourceText: SourceText,
  style: Style,
  shownColumns: number,
  linesBefore: number,
): string | undefined {
  const text = place && sourceText(place.file);
  if (place === undefined || text === undefined) return undefined;
  const from = Math.max(1, place.line - linesBefore);
  const lines = typeof text === "string" ? linesOf(text).slice(from - 1, place.line) : text(from, place.line);
  if (lines === undefined) return undefined;
  const gutter = String(place.line).length;
  // Machines write very long lines: only the part around the place is shown.
  const left = place.column > shownColumns ? place.column - shownColumns / 2 : 0;
  const shown = lines.map(
    (line, i) => `  ${style.dim(`${String(from + i).padStart(gutter)} |`)} ${cut(line, left, shownColumns)}`,
  );
  const source = lines[place.line - from] ?? "";
  const lead = `${left > 0 ? "…" : ""}${visibleLines(source.slice(left, place.column - 1))}`;
  const end = Math.min(place.column - 1 + place.length, left + shownColumns);
  const meant = visibleLines(source.slice(place.column - 1, end));
  // Tabs are kept, so that the caret is under the right character.
  const caret = `${lead.replace(/[^\t]/g, " ")}${style.bad("^".repeat(Math.max(1, meant.length)))}`;
  return [...shown, `  ${style.dim(`${" ".repeat(gutter)} |`)} ${caret}`].join("\n");
}

/** Diagnostics are ordered by file: the last text is likely to be needed again. */
let lastShown = { text: "", lines: [""] as readonly string[] };

function linesOf(text: string): readonly string[] {
  if (lastShown.text !== text) lastShown = { text, lines: text.split(/\r?\n/) };
  return lastShown.lines;
}

const usualColumns = 160;

/** A window of a line, with `…` where it was cut, and without invisible characters. */
function cut(line: string, left: number, shownColumns: number): string {
  const window = line.slice(left, left + shownColumns);
  return `${left > 0 ? "…" : ""}${visibleLines(window)}${line.length > left + shownColumns ? "…" : ""}`;
}

export interface DiagnosticsSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
}

export function summarize(found: readonly Diagnostic[]): DiagnosticsSummary {
  const count = (severity: Diagnostic["severity"]) => found.filter((d) => d.severity === severity).length;
  return { errors: count("error"), warnings: count("warning"), notes: count("note") };
}

/** `2 errors, 1 warning in 2 of 12 files`; without the files where it is not files that were read. */
export function summaryText(found: readonly Diagnostic[], files: number | undefined): string {
  const { errors, warnings, notes } = summarize(found);
  const counted = [counts(errors, "error"), counts(warnings, "warning"), counts(notes, "note")].filter(
    (part) => part !== undefined,
  );
  if (files === undefined) return counted.join(", ") || "nothing to report";
  if (counted.length === 0) return `${files} ${files === 1 ? "file" : "files"}, nothing to report`;
  const touched = new Set(found.flatMap((d) => d.place?.file ?? [])).size;
  return `${counted.join(", ")}${touched > 0 ? ` in ${touched} of ${files} ${files === 1 ? "file" : "files"}` : ""}`;
}

function counts(n: number, noun: string): string | undefined {
  return n === 0 ? undefined : `${n} ${noun}${n === 1 ? "" : "s"}`;
}
