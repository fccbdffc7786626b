import fc from "fast-check";
import { expect, it } from "vitest";
import type { Cluster } from "../cluster/model.js";
import { domainMatches } from "../evaluate/domain.js";
import { type Flow, formatEndpoint } from "../evaluate/flow.js";
import { type Decision, walk } from "../evaluate/walk.js";
import { type Direction, directions, type DomainPattern } from "../policy/model.js";
import { Encoding, ends } from "../prove/encode/index.js";
import { type Literal, not } from "../prove/sat/index.js";
import { Answers } from "../prove/world/answers.js";
import type { State } from "../state/state.js";
import { andForeign } from "../../testing/arbitrary/arbitrary-policies.js";
import { domainNames } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, stateIn, tellDecision } from "../../testing/arbitrary/scenario.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { fixedConnection, kindOf } from "../../testing/fixed-connection.js";

/** A cluster as proofs see it: what no manifest states is a fact, and Services are not looked up. */
const asProofsSeeIt = (cluster: Cluster): Cluster => ({
  ...cluster,
  services: [],
  facts: { podCidrs: [], serviceCidrs: [] },
});

/** Facts that can hold together, by the keys of the encoding: names are names, everything else is thrown dice. */
function someFacts(encoding: Encoding, dice: number, flow: Flow): ReadonlyMap<string, boolean> {
  const names = domainNames.filter((_, i) => ((dice >> i) & 1) === 1);
  return new Map(
    [...encoding.connection.facts.keys()].map((key, i) => {
      const [, kind, text] = /^dns:([a-z]+):(.*)$/.exec(key) ?? [];
      const pattern = { kind, text } as DomainPattern;
      const end = ends.find((each) => key === `apiserver ${each}`);
      const can = end === undefined || kindOf(flow[end]) !== "pod";
      return [
        key,
        kind === undefined
          ? can && ((dice >> (4 + i)) & 1) === 1
          : names.some((name) => domainMatches(pattern, name)),
      ];
    }),
  );
}

/** The same facts, by the keys under which the evaluator asks. */
function answersOf(facts: ReadonlyMap<string, boolean>, flow: Flow): Answers {
  const renamed = [...facts].map(([key, value]): [string, boolean] => {
    const end = ends.find((each) => key === `apiserver ${each}`);
    return [end === undefined ? key : `apiserver:${formatEndpoint(flow[end])}`, value];
  });
  return new Answers(new Map(renamed));
}

const isConditional = ({ conditions }: Decision): boolean =>
  conditions.some((text) => text.startsWith("conditional on"));

function disagreement(encoding: Encoding, state: State, flow: Flow, dice: number): string | undefined {
  const cluster = asProofsSeeIt(state.cluster);
  const facts = someFacts(encoding, dice, flow);
  const unknowns = answersOf(facts, flow);
  const decided = (direction: Direction) => walk(direction, state.tiers, { flow, cluster, unknowns });
  const expected = directions.flatMap((direction): Literal[] => {
    const decision = decided(direction);
    const [allows, conditionally] = [encoding.allows[direction], encoding.allowsConditionally[direction]];
    return [
      decision.verdict === "Allow" ? allows : not(allows),
      isConditional(decision) ? conditionally : not(conditionally),
    ];
  });
  if (unknowns.unanswered.length > 0) return `unanswered: ${unknowns.unanswered.join()}`;
  const agreed = encoding.connection.formula.and(expected);
  const fixed = fixedConnection(encoding, cluster, flow, facts);
  if (encoding.solve(fixed) !== "satisfiable") return `${about(flow)}: is no connection of the encoding`;
  if (encoding.solve([...fixed, not(agreed)]) === "unsatisfiable") return undefined;
  return `${about(flow)}: ${directions.map((direction) => `${direction} ${tellDecision(decided(direction))}`).join()}`;
}

it("every connection of every cluster is decided by the encoding as by the evaluator", () => {
  let compared = 0;
  const verdicts = new Set<string>();
  fc.assert(
    fc.property(
      anyScenario({ complete: true, kinds: andForeign, minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 0x3fffffff }), { minLength: 8, maxLength: 8 }),
      (scenario, dice) => {
        const state = stateIn(scenario);
        const encoding = new Encoding(state.tiers, state.cluster.cidrGroups);
        const pairs = [...memberPairs(state.cluster), ...otherPairs(state)].filter(
          ({ source, destination, family, toItself }) =>
            source !== destination && family !== undefined && !toItself,
        );
        const flows = [...flowsAmong(pairs, portsAtBorders(state))];
        for (let i = 0; i < 40 && flows.length > 0; i++) {
          const die = dice[i % dice.length]! ^ Math.imul(i, 0x9e3779b1);
          const flow = flows[(die >>> 1) % flows.length]!;
          expect(disagreement(encoding, state, flow, die)).toBeUndefined();
          compared++;
          verdicts.add(String(encoding.solver.isTrue(encoding.allowed)));
        }
      },
    ),
    { numRuns: 250 },
  );
  expect(compared).toBeGreaterThan(500);
  expect(verdicts.size).toBe(2);
});
