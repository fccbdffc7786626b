import { readFileSync } from "node:fs";

/** The built page of a matrix, without its data. */
const page = new URL("../matrix-report/index.html", import.meta.url);
const dataStart = '<script id="matrix" type="application/json">';

/** One file that needs no other: the page of a matrix, with the report (`matrixReportJson` of core) in it. */
export function matrixHtml(report: string): readonly string[] {
  const text = readFileSync(page, "utf8");
  const at = text.indexOf(dataStart) + dataStart.length;
  return [text.slice(0, at), report, text.slice(at).trimEnd()];
}
