import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { Encoding } from "../prove/encode/index.js";
import { confirm, readWitness } from "../prove/world/index.js";
import { stateIn } from "../../testing/arbitrary/scenario.js";
import {
  anyCompleteScenario,
  type Compared,
  compareModels,
  compareWorlds,
  dice,
} from "../../testing/encoder-agreement.js";

const encoder = { Encoding, readWitness, confirm };

it.each([
  [
    "every connection of every cluster is decided by the encoding as by the evaluator",
    compareWorlds,
    isFull ? 40 : 320,
  ],
  ["every model of the encoding is a cluster on which the evaluator agrees", compareModels, 12],
] as const)("%s", (_, compare, count) => {
  const seen = new Map<string, number>();
  const check = ({ fault, decisions }: Compared) => {
    for (const text of decisions) seen.set(text, (seen.get(text) ?? 0) + 1);
    expect(fault).toBeUndefined();
  };
  fc.assert(
    fc.property(anyCompleteScenario, fc.integer(), (scenario, seed) =>
      check(compare(encoder, stateIn(scenario), dice(seed), count)),
    ),
    { numRuns: 250 },
  );
  // Of everything that can decide, something was compared.
  for (const what of [
    "Allow rule",
    "Allow rule, conditional",
    "Deny rule",
    "Deny isolation",
    "Allow default",
    "Allow no-walk",
  ])
    for (const direction of ["ingress", "egress"])
      expect(seen.get(`${direction} ${what}`) ?? 0, `${direction} ${what}`).toBeGreaterThan(0);
  expect(seen.get("ingress Allow own-node")).toBeGreaterThan(0);
});
