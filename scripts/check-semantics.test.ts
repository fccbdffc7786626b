import { expect, test } from "vitest";
import { untested } from "./check-semantics.mjs";

// Put together here, so that this file names no statement itself.
const statement = (number: string) => `S${number}`;
const page = ["90.1", "90.2", "90.10"].map((number) => `- **${statement(number)}** A promise.`).join("\n");

test("a statement is tested when any test file names it", () => {
  const tests = [`test("${statement("90.1")}: holds")`, `// ${statement("90.2")}, ${statement("90.10")}`];
  expect(untested(page, tests)).toEqual([]);
});

test("a longer number does not count as its prefix", () => {
  expect(untested(page, [`${statement("90.10")} ${statement("90.2")}`])).toEqual([statement("90.1")]);
});

test("a reference to a statement is not a statement", () => {
  expect(untested(`As in ${statement("90.4")}.`, [])).toEqual([]);
});
