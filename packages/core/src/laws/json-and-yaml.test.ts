import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readState, type State } from "../state/state.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { rename } from "../../testing/transform/rename.js";
import { anyScenario, tellingsIn } from "../../testing/arbitrary/scenario.js";

/** A state without its functions, which only return places. */
const plain = ({ cluster, tiers, policies, diagnostics, skipped, usable }: State): string =>
  JSON.stringify(
    {
      cluster,
      tiers,
      policies,
      codes: diagnostics.map(({ code, message }) => [code, message]),
      skipped,
      usable,
    },
    (_key, value: unknown) =>
      typeof value === "bigint"
        ? String(value)
        : value instanceof Map
          ? [...(value as Map<string, unknown>)]
          : value,
  );

/** Label values that YAML would not read as strings without quotes. */
const tricky = {
  red: "on",
  blue: "1e3",
  prod: "null",
  dev: "0x10",
  web: "1_000",
  db: "2021-01-01",
  robot: "no",
};

describe("JSON and YAML", () => {
  it("S10.1: the same objects give the same state, as JSON, as YAML, and as JSON that is read as YAML", () => {
    fc.assert(
      fc.property(anyScenario(), ({ cluster, policies, facts, questions }) => {
        const objects = rename([...manifestsOf(cluster), ...policies], tricky);
        const json = objects.map((object) => JSON.stringify(object)).join("\n");
        const block = objects.map((object) => stringify(object, { version: "1.1" })).join("---\n");
        const flow = objects.map((object) => `# JSON is YAML\n${JSON.stringify(object)}`).join("\n---\n");
        const [first, ...others] = [json, block, flow].map((text) =>
          readState([{ file: "input", text }], { facts }),
        );
        for (const other of others) {
          expect(plain(other)).toBe(plain(first!));
          expect(tellingsIn(other, questions)).toEqual(tellingsIn(first!, questions));
        }
      }),
      { numRuns: 30 },
    );
  });
});
