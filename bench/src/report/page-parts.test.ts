import { expect, test } from "vitest";
import { withPart } from "./page-parts.js";

test("a part is written into an empty page", () => {
  const page = withPart("", "engine", "fast");
  expect(page).toMatch(/^# Performance\n\n<!-- engine: .*-->\n\nfast\n\n<!-- end of engine -->\n$/);
});

test("a part that is written again leaves the other one alone, and their order as it is", () => {
  const both = withPart(withPart("", "dataplane", "packets"), "engine", "pairs");
  const again = withPart(both, "dataplane", "more packets");
  expect(again).toBe(withPart(withPart("", "engine", "pairs"), "dataplane", "more packets"));
  expect(withPart(again, "dataplane", "packets")).toBe(both);
});

test("what stands outside of all parts is not kept", () => {
  expect(withPart("old text\n", "engine", "fast")).not.toContain("old text");
});
