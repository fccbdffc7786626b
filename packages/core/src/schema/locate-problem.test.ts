import { describe, expect, it } from "vitest";
import { parseManifest } from "../manifest/parse.js";
import { locateProblem } from "./locate-problem.js";
import { labels } from "./selector.js";
import { validate } from "./validate.js";

/** The diagnostics about the labels of the one object in a text, with their places. */
function said(text: string): readonly string[] {
  const document = parseManifest(text, "test.yaml").documents.at(0)!;
  const { labels: value } = document.value as { labels: unknown };
  return validate(labels("Labels."), value).problems.map((problem) => {
    const { message, place } = locateProblem(problem, document, ["labels"]);
    return `${place.line}:${place.column} ${message}`;
  });
}

describe("a problem in the words of the file", () => {
  it.each([
    [
      "a number",
      "labels:\n  version: 1\n",
      '2:12 expected a string, found the number 1; put it in quotes: "1"',
    ],
    [
      "a word of YAML, as it is written",
      "labels:\n  flag: yes\n",
      '2:9 expected a string, found `true`; put it in quotes: "yes"',
    ],
    [
      "a number, as it is written",
      "labels: {build: 012}\n",
      '1:17 expected a string, found the number 10; put it in quotes: "012"',
    ],
    [
      "a commit hash",
      "labels: {commit: 12e5}\n",
      '1:18 expected a string, found the number 1200000; put it in quotes: "12e5"',
    ],
    [
      "JSON",
      '{"labels": {"version": 1.0}}',
      '1:24 expected a string, found the number 1; put it in quotes: "1.0"',
    ],
    ["what quotes cannot fix", "labels: {app: [web]}\n", "1:15 expected a string, found a list"],
  ])("%s", (_what, text, expected) => expect(said(text)).toEqual([expected]));

  it("a key is shown at the key", () => {
    expect(said("labels:\n  a b: web\n")[0]).toMatch(/^2:3 `a b` is not a label key/);
  });
});
