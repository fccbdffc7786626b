import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Action } from "../../policy/model.js";
import { everyPort, noPorts, type PortSetId, PortSets } from "../../sets/port-sets.js";
import { CellStates, type Effect, stepOf } from "./cell-states.js";
import { Outcomes, uncertain, undecided } from "./outcomes.js";

/** TCP ports 1 to 4 represent all ports that rules distinguish. */
const points = [1, 2, 3, 4] as const;
type Point = (typeof points)[number];

interface Part {
  readonly wanted: readonly Point[];
  readonly action: Action;
  /** What the missing fact of this rule says, if it depends on one. */
  readonly matches?: boolean;
}

interface WalkedTier {
  readonly parts: readonly Part[];
  readonly isIsolated: boolean;
}

const anyPart: fc.Arbitrary<Part> = fc.record(
  {
    wanted: fc.subarray([...points]),
    action: fc.constantFrom<Action>("Allow", "Deny", "Pass"),
    matches: fc.boolean(),
  },
  { requiredKeys: ["wanted", "action"] },
);
const anyTier = fc.record({ parts: fc.array(anyPart, { maxLength: 5 }), isIsolated: fc.boolean() });

/** The first rule that matches, port by port, all facts being known. */
function literally(tiers: readonly WalkedTier[], point: Point): "Allow" | "Deny" | "open" {
  for (const { parts, isIsolated } of tiers) {
    const first = parts.find(({ wanted, matches }) => wanted.includes(point) && matches !== false);
    if (first === undefined && isIsolated) return "Deny";
    if (first !== undefined && first.action !== "Pass") return first.action;
  }
  return "open";
}

function walk(tiers: readonly WalkedTier[]) {
  const ports = new PortSets();
  const states = new CellStates(new Outcomes(ports));
  const setOf = (wanted: readonly Point[]): PortSetId =>
    wanted.reduce((all, point) => ports.union(all, ports.range("TCP", point, point)), noPorts);
  const start = states.startWith(setOf(points));
  let state = start;
  for (const { parts, isIsolated } of tiers) {
    for (const { wanted, action, matches } of parts) {
      const effect: Effect = matches === undefined ? action : "Maybe";
      state = states.take(state, stepOf(setOf(wanted), effect, action));
    }
    if (isIsolated) state = states.isolate(state);
    state = states.nextTier(state);
  }
  const has = (set: PortSetId, point: Point) => ports.contains(set, "TCP", point);
  return { states, state, has };
}

describe("walking rules", () => {
  it("S1.1, S1.2, S1.3: decides every port as the first rule that matches it, or isolation, does", () => {
    const certain = anyTier.map(({ parts, isIsolated }) => ({
      isIsolated,
      parts: parts.map(({ wanted, action }) => ({ wanted, action })),
    }));
    fc.assert(
      fc.property(fc.array(certain, { maxLength: 4 }), (tiers) => {
        const { states, state, has } = walk(tiers);
        for (const point of points) {
          const found = has(states.allowed(state), point)
            ? "Allow"
            : has(states.denied(state), point)
              ? "Deny"
              : "open";
          expect(found).toBe(literally(tiers, point));
        }
        expect(states.open(state).perhaps).toBe(noPorts);
      }),
    );
  });

  it("S9.1: is sure only of what holds whatever the missing facts say", () => {
    fc.assert(
      fc.property(fc.array(anyTier, { maxLength: 4 }), (tiers) => {
        const { states, state, has } = walk(tiers);
        for (const point of points) {
          const said = literally(tiers, point);
          if (has(states.allowed(state), point)) expect(said).toBe("Allow");
          if (has(states.denied(state), point)) expect(said).toBe("Deny");
          const { surely, perhaps } = states.open(state);
          if (has(surely, point)) expect(said).toBe("open");
          if (said === "open") expect(has(surely, point) || has(perhaps, point)).toBe(true);
        }
      }),
    );
  });

  it.each<readonly [string, readonly (readonly [Effect, Action])[], number | "settled"]>([
    ["a rule that matches settles it", [["Allow", "Allow"]], "settled"],
    ["a rule that may match makes it uncertain", [["Maybe", "Deny"]], uncertain],
    ["S9.3: a foreign object makes it undecided", [["Undecided", "Deny"]], undecided],
    [
      "a rule that may match, behind one that takes everything, changes nothing",
      [
        ["Allow", "Allow"],
        ["Maybe", "Deny"],
      ],
      "settled",
    ],
    [
      "the first that is not sure counts",
      [
        ["Undecided", "Deny"],
        ["Maybe", "Deny"],
      ],
      undecided,
    ],
  ])("%s", (_name, steps, wanted) => {
    const states = new CellStates(new Outcomes(new PortSets()));
    const end = steps.reduce(
      (state, [effect, action]) => states.take(state, stepOf(everyPort, effect, action)),
      states.start,
    );
    const outcome = states.outcomeOf(end);
    expect(outcome).toBe(wanted === "settled" ? states.outcomes.of(everyPort, noPorts) : wanted);
    expect(states.isFinal[end]).toBe(1);
  });

  it("S9.1: what a rule may have passed may be open in the next tier", () => {
    const ports = new PortSets();
    const states = new CellStates(new Outcomes(ports));
    const maybePassed = states.take(states.start, stepOf(everyPort, "Maybe", "Pass"));
    expect(states.open(states.nextTier(states.isolate(maybePassed)))).toEqual({
      surely: noPorts,
      perhaps: everyPort,
    });
  });
});
