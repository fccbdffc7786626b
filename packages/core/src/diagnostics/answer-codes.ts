import type { Diagnostic } from "./diagnostic.js";

/** Codes about what an answer does not cover or assumes; they are reported with every answer. */
const answerCodes: ReadonlySet<string> = new Set([
  "TW2015",
  "TW2016",
  "TW2022",
  "TW2025",
  "TW2026",
  "TW2032",
  "TW2033",
  "TW2034",
  "TW3001",
  "TW3003",
]);

export const affectsAnswers = ({ severity, code }: Diagnostic): boolean =>
  severity === "error" || answerCodes.has(code);
