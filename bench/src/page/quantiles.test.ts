import { expect, test } from "vitest";
import { quantile } from "./quantiles.js";

test.each([
  { values: [3, 1, 2], share: 0.5, is: 2 },
  { values: Array.from({ length: 100 }, (_, i) => i + 1), share: 0.95, is: 95 },
  { values: [7], share: 0.95, is: 7 },
])("of $values.length values, $share do not exceed $is", ({ values, share, is }) => {
  expect(quantile(values, share)).toBe(is);
});
