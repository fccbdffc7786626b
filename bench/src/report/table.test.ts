import { expect, test } from "vitest";
import { markdownTable, textTable } from "./table.js";

const table = {
  head: ["row", "time"],
  rows: [
    ["10k/1k", "0.6 s"],
    ["1M", "28 s (bar 28 s)"],
  ],
};

test("as text, columns stand under each other and lines end where their text does", () => {
  expect(textTable(table)).toBe(["row      time", "10k/1k   0.6 s", "1M       28 s (bar 28 s)"].join("\n"));
});

test("as Markdown", () => {
  expect(markdownTable(table)).toBe(
    ["| row | time |", "|---|---|", "| 10k/1k | 0.6 s |", "| 1M | 28 s (bar 28 s) |"].join("\n"),
  );
});

test("without rows only the head is left", () => {
  expect(textTable({ head: ["a"], rows: [] })).toBe("a");
});
