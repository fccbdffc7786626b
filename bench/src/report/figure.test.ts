import { describe, expect, test } from "vitest";
import { type Figure, formatFigure, formatMeasure, holds, median, quantile } from "./figure.js";

test.each<[number, Parameters<typeof formatMeasure>[1], string]>([
  [0.4512, "s", "0.45 s"],
  [3.5, "s", "3.5 s"],
  [28.4, "s", "28 s"],
  [8842, "s", "150 min"],
  [240.3, "MB", "240 MB"],
  [947, "MB", "950 MB"],
  [4870, "MB", "4.9 GB"],
  [0.9987, "us", "1 µs"],
  [1.96, "ms", "2 ms"],
  [11_789, "times", "12,000x"],
  [1_234_567, "times", "1,200,000x"],
  [5.04, "times", "5x"],
  [1.02, "power", "n^1"],
  [0, "s", "0 s"],
])("%d %s is %s", (value, unit, text) => {
  expect(formatMeasure(value, unit)).toBe(text);
});

describe("against the bar", () => {
  const time: Figure = { what: "time", measured: 0.6, unit: "s", bar: { atMost: 0.75 } };
  const gain: Figure = { what: "against naive", measured: 400, unit: "times", bar: { atLeast: 500 } };

  test.each<[Figure, string, string]>([
    [time, "holds", "0.6 s (bar 0.75 s)"],
    [{ ...time, measured: 0.75 }, "holds", "0.75 s (bar 0.75 s)"],
    [{ ...time, measured: 0.8 }, "misses", "0.8 s (bar 0.75 s, misses)"],
    [gain, "misses", "400x (bar 500x, misses)"],
    [{ ...gain, measured: 500 }, "holds", "500x (bar 500x)"],
    [{ what: "time", measured: 3, unit: "ms" }, "no bar", "3 ms"],
  ])("%o %s", (figure, expected, text) => {
    expect(holds(figure)).toBe(expected);
    expect(formatFigure(figure)).toBe(text);
  });
});

describe("many measurements", () => {
  test("the median of three is the one in the middle", () => {
    expect(median([9, 1, 2])).toBe(2);
  });

  test("95 of 100 do not exceed p95", () => {
    expect(
      quantile(
        Array.from({ length: 100 }, (_, i) => 100 - i),
        0.95,
      ),
    ).toBe(95);
  });

  test("of nothing there is none", () => {
    expect(() => median([])).toThrow("nothing was measured");
  });
});
