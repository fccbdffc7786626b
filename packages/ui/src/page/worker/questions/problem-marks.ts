import type { Diagnostic } from "@tierwall/core";

/** A mistake, and which characters of the text it is about. */
export interface ProblemMark extends Pick<Diagnostic, "code" | "severity" | "message" | "hint"> {
  readonly from: number;
  readonly to: number;
}

export function problemMarks(diagnostics: readonly Diagnostic[], text: string): readonly ProblemMark[] {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return diagnostics.map(({ code, severity, message, hint, place }) => {
    const from = place === undefined ? 0 : (starts[place.line - 1] ?? text.length) + place.column - 1;
    const to = place === undefined ? 0 : Math.min(text.length, from + place.length);
    return {
      code,
      severity,
      message,
      ...(hint === undefined ? {} : { hint }),
      from: Math.min(from, to),
      to,
    };
  });
}
