import fc from "fast-check";
import { expect, it } from "vitest";
import { formatCase, readCase } from "./kept-case.js";
import { anyScenario, stateIn, tellingsIn } from "./arbitrary/scenario.js";

it("a stored case is the one that was found", () => {
  fc.assert(
    fc.property(anyScenario(), (scenario) => {
      const text = formatCase({ scenario, complaint: "they differ" });
      expect(text.split("\n")[0]).toBe("# they differ");
      const { questions } = scenario;
      expect(tellingsIn(readCase(text), questions)).toEqual(tellingsIn(stateIn(scenario), questions));
    }),
    { numRuns: 20 },
  );
});
