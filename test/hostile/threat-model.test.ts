import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { citedTests, root } from "./threat-model.js";

describe("docs/explanation/threat-model.md", () => {
  it.each(citedTests())("cites $file $name, which exists", ({ file, name = "" }) => {
    expect(readFileSync(`${root}/${file}`, "utf8")).toContain(name);
  });

  it("cites a test for every attack", () => {
    const page = readFileSync(`${root}/docs/explanation/threat-model.md`, "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.split("|").length === 5);
    const attacks = rows.filter((line) => !/^\| (tries to|does)/.test(line));
    expect(attacks.length).toBeGreaterThan(20);
    expect(attacks.filter((line) => !line.includes(".test.ts"))).toEqual([]);
  });
});
