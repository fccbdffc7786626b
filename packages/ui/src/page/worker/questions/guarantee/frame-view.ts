import type { Code, Diagnostic, Severity } from "@tierwall/core";
import { visibleLines } from "@tierwall/core/report";
import { type PlaceView, placeView } from "../policy-view.js";

/** A mistake with the lines around it. */
export interface FrameView {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly place?: PlaceView;
  /** Up to two lines before the mistake, and its own line. */
  readonly frame?: {
    readonly firstLine: number;
    readonly lines: readonly string[];
    /** How many characters before the caret, and how many carets. */
    readonly before: number;
    readonly carets: number;
  };
}

/** Machines write very long lines: more than this is cut off. */
const longestLine = 160;

export function frameView(
  { code, severity, message, hint, place }: Diagnostic,
  textOf: (file: string) => string | undefined,
): FrameView {
  const common = { code, severity, message, ...(hint === undefined ? {} : { hint }), ...placeView(place) };
  const text = place && textOf(place.file);
  if (place === undefined || text === undefined || place.column > longestLine) return common;
  const first = Math.max(1, place.line - 2);
  const lines = text
    .split(/\r?\n/)
    .slice(first - 1, place.line)
    .map((line) => visibleLines(line.slice(0, longestLine)));
  const own = lines.at(-1) ?? "";
  const before = Math.min(place.column - 1, own.length);
  const carets = Math.max(1, Math.min(place.length, own.length - before));
  return { ...common, frame: { firstLine: first, lines, before, carets } };
}
