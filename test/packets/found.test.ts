import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { readCase } from "../../packages/core/testing/kept-case.js";
import { disagreements, examOf } from "./comparison.js";
import { enforce } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import { flowsIn } from "./scenarios.js";

const folder = new URL("found/", import.meta.url);
const files = readdirSync(folder).filter((name) => name !== "README.md");
const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describe.skipIf(reason !== undefined)(`what comparing packets has found${because(reason)}`, () => {
  it("is kept as YAML", () => {
    expect(files.filter((name) => !name.endsWith(".yaml"))).toEqual([]);
  });

  for (const [wiring, options] of [
    ["routed", {}],
    ["bridged", onlyInFull],
  ] as const)
    it.each(files)(`no longer happens, ${wiring}: %s`, options, async (file) => {
      const state = readCase(readFileSync(new URL(file, folder), "utf8"));
      const lab = await Lab.build(state.cluster, wiring);
      try {
        await enforce(lab, state);
        const flows = flowsIn(state, 1500);
        for (const road of ["direct", "alias"] as const) {
          const found = await disagreements(lab, state, examOf(lab, state, flows, road).asked);
          expect(found.map(({ complaint }) => complaint)).toEqual([]);
        }
      } finally {
        await lab.remove();
      }
    });
});
