import fc from "fast-check";
import { expect, it } from "vitest";
import { directions } from "../policy/model.js";
import { Encoding } from "../prove/encode/index.js";
import { type Literal, not } from "../prove/sat/index.js";
import { confirm, isConditional, readWitness } from "../prove/world/index.js";
import { anyPolicies, andForeign } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyCluster, manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { stateOf } from "../../testing/arbitrary/scenario.js";

it("every model of the encoding is a cluster on which the evaluator agrees", () => {
  let confirmed = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      anyCluster(),
      anyPolicies({ kinds: andForeign, minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (cluster, policies, dice) => {
        const groups = manifestsOf(cluster).filter(({ kind }) => kind === "CiliumCIDRGroup");
        const state = stateOf([...groups, ...policies]);
        const encoding = new Encoding(state.tiers, state.cluster.cidrGroups);
        const { solver } = encoding;
        const roll = (): number => dice.next().value as number;
        for (let i = 0; i < 12; i++) {
          // Anywhere among all connections: some variables have random values, as far as they can.
          const wanted: Literal[] = [encoding.asWritten];
          for (let j = 0; j < 24; j++) {
            const literal = (roll() % (solver.variables * 2 - 2)) + 2;
            if (![...encoding.switches.values()].some((each) => each >> 1 === literal >> 1))
              wanted.push(literal);
          }
          for (
            let answer = encoding.solve(wanted);
            answer === "unsatisfiable";
            answer = encoding.solve(wanted)
          ) {
            const dropped = solver.core.findLast((literal) => literal !== encoding.asWritten)!;
            wanted.splice(wanted.indexOf(dropped), 1);
          }
          const witness = readWitness(encoding);
          const { decisions, problems, manifests } = confirm(state, witness);
          expect([problems, manifests]).toEqual([[], manifests]);
          for (const direction of directions) {
            const decision = decisions[direction];
            const evaluated = [decision.verdict === "Allow", isConditional(decision)];
            const encoded = [encoding.allows[direction], encoding.allowsConditionally[direction]];
            expect([manifests, ...evaluated]).toEqual([
              manifests,
              ...encoded.map((literal) => solver.isTrue(literal)),
            ]);
            seen.add(`${direction} ${decision.verdict} ${decision.by.kind}`);
          }
          confirmed++;
          solver.addClause([not(encoding.asWritten), ...wanted.slice(1).map(not)]);
          if (encoding.solve([encoding.asWritten]) !== "satisfiable") break;
        }
      },
    ),
    { numRuns: 250 },
  );
  expect(confirmed).toBeGreaterThan(500);
  expect(seen).toContain("ingress Allow own-node");
  expect(seen).toContain("egress Deny isolation");
});
