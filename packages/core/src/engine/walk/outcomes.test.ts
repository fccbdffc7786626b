import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Action } from "../../policy/model.js";
import { type OutcomeId, Outcomes, silent, uncertain } from "./outcomes.js";
import { everyPort, noPorts, PortSets } from "../../sets/port-sets.js";

/** What a tier does with each of three parts of all ports. */
const said = fc.tuple(...[0, 1, 2].map(() => fc.constantFrom<Action>("Allow", "Deny", "Pass")));

function outcomeOf(outcomes: Outcomes, actions: readonly Action[]): OutcomeId {
  const { ports } = outcomes;
  const low = ports.range("TCP", 0, 99);
  const high = ports.range("TCP", 100, 65535);
  const parts = [low, high, ports.subtract(everyPort, ports.union(low, high))];
  const where = (wanted: Action) =>
    parts.reduce((all, part, i) => (actions[i] === wanted ? ports.union(all, part) : all), noPorts);
  return outcomes.of(where("Allow"), where("Deny"));
}

describe("the outcomes of two tiers together", () => {
  it("S1.1, S1.3: are what the first says, and what the second says of the rest", () => {
    fc.assert(
      fc.property(said, said, (first, second) => {
        const outcomes = new Outcomes(new PortSets());
        const wanted = first.map((action, i) => (action === "Pass" ? second[i]! : action));
        const composed = outcomes.compose(outcomeOf(outcomes, first), outcomeOf(outcomes, second));
        expect(composed).toBe(outcomeOf(outcomes, wanted));
      }),
    );
  });

  it("are uncertain if the second is, unless it decides nothing", () => {
    const outcomes = new Outcomes(new PortSets());
    const final = outcomeOf(outcomes, ["Allow", "Deny", "Allow"]);
    const open = outcomeOf(outcomes, ["Allow", "Deny", "Pass"]);
    expect(outcomes.compose(final, uncertain)).toBe(final);
    expect(outcomes.compose(open, uncertain)).toBe(uncertain);
    expect(outcomes.compose(silent, uncertain)).toBe(uncertain);
    expect(outcomes.compose(uncertain, final)).toBe(uncertain);
    expect(outcomes.compose(uncertain, silent)).toBe(uncertain);
  });

  it("can be many", () => {
    const outcomes = new Outcomes(new PortSets());
    const { ports } = outcomes;
    const ids = Array.from({ length: 3000 }, (_, i) =>
      outcomes.of(
        ports.range("TCP", 0, i),
        i % 2 === 0 ? noPorts : ports.subtract(everyPort, ports.range("TCP", 0, i)),
      ),
    );
    expect(new Set(ids).size).toBe(3000);
    // Unknown facts do not matter to outcomes that leave nothing open.
    const stay = ids.map((id) => outcomes.compose(id, uncertain) === id);
    expect(stay).toEqual(ids.map((_, i) => i % 2 === 1));
    expect(outcomes.compose(uncertain, outcomes.of(noPorts, everyPort))).toBe(uncertain);
  });
});
