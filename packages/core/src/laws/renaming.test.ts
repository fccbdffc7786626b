import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "../analysis/explain/ask.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { type Renaming, rename } from "../../testing/transform/rename.js";
import { anyScenario, stateIn, stateOf, verdictsIn } from "../../testing/arbitrary/scenario.js";

/** Names and label values are swapped, so that nothing can depend on their order or spelling. */
const renamings: readonly Renaming[] = [
  { alpha: "beta", beta: "alpha", gamma: "delta", delta: "gamma" },
  { team: "company.example/squad", env: "app", app: "env" },
  { red: "blue", blue: "red", prod: "0", dev: "A_b.c", web: "x" },
  { robot: "machine", "node-1": "node-2", "node-2": "node-1" },
];

describe("renaming", () => {
  it.each([...renamings, Object.assign({}, ...renamings) as Renaming])(
    "S1.10: labels, namespaces, nodes and accounts consistently changes no verdict: %j",
    (names) => {
      fc.assert(
        fc.property(anyScenario({ minLength: 1 }), (scenario) => {
          const objects = [...manifestsOf(scenario.cluster), ...scenario.policies];
          const renamed = stateOf(rename(objects, names), { facts: scenario.facts });
          const questions = rename<readonly Question[]>(scenario.questions, names);
          expect(verdictsIn(renamed, questions)).toEqual(verdictsIn(stateIn(scenario), scenario.questions));
        }),
        { numRuns: 20 },
      );
    },
  );
});
