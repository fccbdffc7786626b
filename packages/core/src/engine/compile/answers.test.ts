import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../evaluate/evaluate.js";
import { type AnswerId, Answers } from "./answers.js";
import { noPorts, PortSets } from "../../sets/port-sets.js";

/** An answer is a verdict for each of a few ports. */
const verdicts = fc.array(fc.constantFrom<Verdict>("Allow", "Deny", "Undecided"), {
  minLength: 4,
  maxLength: 4,
});

class World {
  readonly ports = new PortSets();
  readonly answers = new Answers(this.ports);

  answer(said: readonly Verdict[]): AnswerId {
    return this.answers.of(this.where(said, "Allow"), this.where(said, "Undecided"));
  }

  where(said: readonly Verdict[], wanted: Verdict): number {
    return said.reduce(
      (all, verdict, port) =>
        verdict === wanted ? this.ports.union(all, this.ports.range("TCP", port, port)) : all,
      noPorts,
    );
  }
}

describe("answers", () => {
  it("are distinguished by what they say, and only by that", () => {
    fc.assert(
      fc.property(verdicts, verdicts, (a, b) => {
        const world = new World();
        expect(world.answer(a) === world.answer(b)).toBe(a.join() === b.join());
        expect(world.answers.allowed(world.answer(a))).toBe(world.where(a, "Allow"));
        expect(world.answers.undecided(world.answer(a))).toBe(world.where(a, "Undecided"));
      }),
    );
  });

  it("S1.4, S9.1: of both directions deny where one denies; where both are open, facts they share may still deny", () => {
    fc.assert(
      fc.property(verdicts, verdicts, verdicts, (a, b, together) => {
        const world = new World();
        const both = world.answers.both(world.answer(a), world.answer(b), (open) =>
          world.ports.intersect(open, world.where(together, "Undecided")),
        );
        const wanted = a.map((x, i): Verdict => {
          const y = b[i]!;
          if (x === "Deny" || y === "Deny") return "Deny";
          if (x === "Undecided" && y === "Undecided")
            return together[i] === "Undecided" ? "Undecided" : "Deny";
          return x === "Allow" ? y : x;
        });
        expect(both).toBe(world.answer(wanted));
      }),
    );
  });

  it("of which one holds, and it is unknown which, are undecided where they differ", () => {
    fc.assert(
      fc.property(verdicts, verdicts, (a, b) => {
        const world = new World();
        const wanted = a.map((x, i): Verdict => (x === b[i] ? x : "Undecided"));
        expect(world.answers.eitherOf(world.answer(a), world.answer(b))).toBe(world.answer(wanted));
      }),
    );
  });
});
