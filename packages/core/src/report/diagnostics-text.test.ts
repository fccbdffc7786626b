import { describe, expect, it } from "vitest";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { readState } from "../state/state.js";
import { diagnosticText, summarize, summaryText } from "./diagnostics-text.js";
import { noStyle } from "./style.js";

const file = "policies/dns.yaml";
const source = ["one", "two: {three: 3}", "\tfour", "five"].join("\n");
const show = (found: Diagnostic, text: string | undefined = source) =>
  diagnosticText(found, (name) => (name === file ? text : undefined), noStyle).split("\n");
const at = (line: number, column: number, length: number) => ({ place: { file, line, column, length } });

describe("a diagnostic for a person", () => {
  it("place, severity, code and message; the lines before it, a caret, the object and its path, what to do", () => {
    const found = diagnostic("TW1204", "unknown field `three`", {
      ...at(2, 7, 5),
      object: "NetworkPolicy shop/np",
      path: ["spec", "ingress", 0, "three"],
      hint: "Left as it is, a cluster would drop the field.",
    });
    expect(show(found)).toEqual([
      "policies/dns.yaml:2:7  error TW1204  unknown field `three`",
      "",
      "  1 | one",
      "  2 | two: {three: 3}",
      "    |       ^^^^^",
      "  NetworkPolicy shop/np · spec.ingress[0].three",
      "  Left as it is, a cluster would drop the field.",
    ]);
  });

  it("at most two lines before the one that is meant", () => {
    expect(show(diagnostic("TW1204", "m", at(4, 1, 4))).slice(2)).toEqual([
      "  2 | two: {three: 3}",
      "  3 | \tfour",
      "  4 | five",
      "    | ^^^^",
    ]);
  });

  it("tabs are kept, so that the caret is in the right place", () => {
    expect(show(diagnostic("TW1204", "m", at(3, 2, 4))).at(-1)).toBe("    | \t^^^^");
  });

  it("the caret never leaves the line, and is never nothing", () => {
    expect(show(diagnostic("TW1204", "m", at(1, 2, 99))).at(-1)).toBe("    |  ^^");
    expect(show(diagnostic("TW1204", "m", at(1, 4, 1))).at(-1)).toBe("    |    ^");
  });

  it("lines with CRLF look the same", () => {
    const found = diagnostic("TW1204", "m", at(2, 7, 5));
    expect(show(found, source.replaceAll("\n", "\r\n"))).toEqual(show(found));
  });

  it("line numbers of different lengths stay in one column", () => {
    const long = Array.from({ length: 12 }, (_, i) => `line${i + 1}`).join("\n");
    expect(show(diagnostic("TW1204", "m", at(10, 1, 6)), long).slice(2)).toEqual([
      "   8 | line8",
      "   9 | line9",
      "  10 | line10",
      "     | ^^^^^^",
    ]);
  });

  it("without the text of the file there is no frame, without a place no place", () => {
    expect(show(diagnostic("TW1204", "m", at(2, 7, 5)), undefined)).toHaveLength(5);
    expect(diagnosticText(diagnostic("TW1204", "m", at(2, 7, 5)), () => undefined, noStyle)).toBe(
      "policies/dns.yaml:2:7  error TW1204  m",
    );
    expect(show(diagnostic("TW1004", "m"))).toEqual(["error TW1004  m"]);
  });

  it("warnings have a frame too, notes are one line", () => {
    expect(show(diagnostic("TW2001", "m", at(1, 1, 3)))).toEqual([
      "policies/dns.yaml:1:1  warning TW2001  m",
      "",
      "  1 | one",
      "    | ^^^",
    ]);
    expect(show(diagnostic("TW3002", "m", at(1, 1, 3)))).toEqual(["policies/dns.yaml:1:1  note TW3002  m"]);
  });

  it("a long hint is wrapped at 80 columns", () => {
    const hint = "word ".repeat(40).trim();
    const lines = show(diagnostic("TW2001", "m", { hint }));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(
      lines
        .slice(1)
        .map((line) => line.trim())
        .join(" "),
    ).toBe(hint);
  });
});

it("S10.1: the sketch of a bad file, from the text to the caret", () => {
  const text = [
    "apiVersion: networking.k8s.io/v1",
    "kind: NetworkPolicy",
    "metadata: {name: np, namespace: shop}",
    "spec:",
    "  podSelector:",
    "    matchlabels: {app: web}",
  ].join("\n");
  const found = readState([{ file, text }]).diagnostics.at(0);
  expect(
    diagnosticText(found!, () => text, noStyle)
      .split("\n")
      .slice(0, 6),
  ).toEqual([
    "policies/dns.yaml:6:5  error TW1204  unknown field `matchlabels` in a label selector; did you mean `matchLabels`?",
    "",
    "  4 | spec:",
    "  5 |   podSelector:",
    "  6 |     matchlabels: {app: web}",
    "    |     ^^^^^^^^^^^",
  ]);
});

describe("the summary", () => {
  const error = (name: string) =>
    diagnostic("TW1204", "m", { place: { file: name, line: 1, column: 1, length: 1 } });
  const warning = diagnostic("TW2001", "m");
  const note = diagnostic("TW3001", "m");

  it.each([
    [[], 1, "1 file, nothing to report"],
    [[], 12, "12 files, nothing to report"],
    [[error("a")], 1, "1 error in 1 of 1 file"],
    [[error("a"), error("a"), error("b"), warning], 12, "3 errors, 1 warning in 2 of 12 files"],
    [[warning, warning, note, note], 2, "2 warnings, 2 notes"],
  ] satisfies [Diagnostic[], number, string][])("%#: of %i files", (found, files, text) =>
    expect(summaryText(found, files)).toBe(text),
  );

  it("counts by severity", () => {
    expect(summarize([error("a"), warning, note, note])).toEqual({ errors: 1, warnings: 1, notes: 2 });
  });
});
