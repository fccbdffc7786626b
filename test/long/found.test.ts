import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "../../packages/core/src/engine/engine.js";
import { evaluatorExam, faultOfEngine } from "../../packages/core/testing/agreement.js";
import { readCase } from "../../packages/core/testing/kept-case.js";

const folder = new URL("found/", import.meta.url);
const files = readdirSync(folder).filter((name) => name !== "README.md");

describe("what the long run has found", () => {
  it("is kept as YAML", () => {
    expect(files.filter((name) => !name.endsWith(".yaml"))).toEqual([]);
  });

  for (const file of files)
    it(`no longer happens: ${file}`, () => {
      const exam = evaluatorExam(readCase(readFileSync(new URL(file, folder), "utf8")), 1);
      expect(faultOfEngine(({ cluster, tiers }) => compile(cluster, tiers), exam)).toBeUndefined();
    });
});
