import { expect, test } from "vitest";
import { curveSvg } from "./curve-svg.js";
import { performancePage } from "./performance-page.js";
import { bulkTable, detailTable, missed, notesOf, resultJson, type RowResult } from "./results.js";

const bulk: RowResult = {
  row: "10k/1k",
  figures: [
    { what: "time", measured: 0.6, unit: "s", bar: { atMost: 0.75 } },
    { what: "memory", measured: 350, unit: "MB", bar: { atMost: 300 } },
    { what: "against naive", measured: 11_000, unit: "times", bar: { atLeast: 500 } },
  ],
  notes: ["naive was scaled"],
};
const verdicts: RowResult = {
  row: "verdicts",
  figures: [
    { what: "one verdict", measured: 0.4, unit: "us", bar: { atMost: 1 } },
    { what: "with its explanation", measured: 9, unit: "us", bar: { atMost: 8 } },
  ],
  notes: [],
};
const growth: RowResult = {
  row: "growth",
  figures: [{ what: "time for n pods", measured: 0.8, unit: "power", bar: { atMost: 1.1 } }],
  notes: [],
  curve: [
    { pods: 10_000, seconds: 0.5, megabytes: 200 },
    { pods: 20_000, seconds: 0.75, megabytes: 300 },
  ],
};
const results = [bulk, verdicts, growth];

test("bulk answers are in one table, one column per figure", () => {
  expect(bulkTable(results)).toEqual({
    head: ["pods / NetworkPolicies", "time", "memory", "against naive", "against workloads"],
    rows: [["10k/1k", "0.6 s (bar 0.75 s)", "350 MB (bar 300 MB, misses)", "11,000x (bar 500x)", "-"]],
  });
});

test("everything else in another, a row a figure", () => {
  expect(detailTable(results).rows).toEqual([
    ["verdicts", "one verdict", "0.4 µs (bar 1 µs)"],
    ["", "with its explanation", "9 µs (bar 8 µs, misses)"],
    ["growth", "time for n pods", "n^0.8 (bar n^1.1)"],
  ]);
});

test("what misses is named by row and figure", () => {
  expect(missed(results)).toEqual(["10k/1k memory", "verdicts with its explanation"]);
});

test("notes say which row they are of", () => {
  expect(notesOf(results)).toEqual(["10k/1k: naive was scaled"]);
});

test("for machines: plain numbers, bars, and whether they hold", () => {
  expect(resultJson(verdicts)).toEqual({
    row: "verdicts",
    figures: {
      "one verdict": { measured: 0.4, unit: "us", bar: 1, holds: true },
      "with its explanation": { measured: 9, unit: "us", bar: 8, holds: false },
    },
  });
  expect(resultJson(growth)).toMatchObject({ curve: growth.curve });
});

const machine = { cpu: "Some CPU", cores: 2, gigabytes: 24, node: "v20.1.0", load: 0.1 };

test("the page has both tables, the curve, the machine and what was missed", () => {
  const page = performancePage(results, machine);
  for (const part of [
    "| 10k/1k | 0.6 s (bar 0.75 s) |",
    "| verdicts | one verdict | 0.4 µs (bar 1 µs) |",
    "| 20,000 | 0.75 s | 38 µs | 300 MB |",
    "(growth.svg)",
    "Some CPU, 2 cores, 24 GB, Node v20.1.0",
    "Missed: 10k/1k memory, verdicts with its explanation.",
    "- 10k/1k: naive was scaled",
  ])
    expect(page).toContain(part);
});

test("the page says so when every bar was reached, and leaves out a curve that was not measured", () => {
  const page = performancePage([{ ...verdicts, figures: verdicts.figures.slice(0, 1) }], machine);
  expect(page).toContain("Every bar was reached.");
  expect(page).not.toContain("svg");
});

test("the page admits that the machine was busy", () => {
  const note = "the machine was busy";
  expect(performancePage(results, { ...machine, load: 1.5 })).toContain(note);
  expect(performancePage(results, machine)).not.toContain(note);
});

test("the curve has a dot for each point, and proportional ones on one line with the origin", () => {
  const points = [1, 2, 4].map((n) => ({ pods: n * 1000, seconds: n / 10, megabytes: 1 }));
  const svg = curveSvg(points);
  const dots = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(dots).toHaveLength(3);
  const slopes = dots.slice(1).map(([x, y], i) => (y! - dots[i]![1]!) / (x! - dots[i]![0]!));
  expect(slopes[0]).toBeCloseTo(slopes[1]!, 2);
});
