import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { measuredPages, pageText, pathOf } from "./measured-page.js";

test("a page says which command writes it", () => {
  expect(pageText("dataplane", "# The dataplane\n\nfast\n\n")).toBe(
    "<!-- Written by `npm run bench:dataplane`: run it again instead of changing this page. -->\n\n" +
      "# The dataplane\n\nfast\n",
  );
});

test.each(["engine", "proofs", "dataplane", "cluster", "page"] as const)("%s has been measured", (page) => {
  expect(existsSync(new URL(`${page}.md`, measuredPages))).toBe(true);
  expect(measuredPages.pathname + `${page}.md`).toContain(pathOf(page));
});
