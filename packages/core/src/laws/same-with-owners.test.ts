import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { evaluate, evaluateDirection, type WalkVerdict } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import { directions, type Tiers } from "../policy/model.js";
import { Connection, EncodedWalk, Formula, Matching } from "../prove/encode/index.js";
import { FALSE, not } from "../prove/sat/index.js";
import { compareEverywhere } from "../prove/same/index.js";
import type { State } from "../state/state.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import { type Manifest, namespaceNames } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { watchedPolicy } from "../../testing/arbitrary/arbitrary-watched.js";
import { about, anyScenario, type Scenario, stateIn, stateOf } from "../../testing/arbitrary/scenario.js";
import { dice } from "../../testing/encoder-agreement.js";
import { waiversOf } from "../../testing/owners-waivers.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { respellPolicy } from "../../testing/transform/respell.js";

/** Everything is known, so that a condition does not depend on facts. */
const scenarios: fc.Arbitrary<Scenario> = fc
  .tuple(
    anyScenario({ complete: true, maxLength: 0 }),
    fc.array(watchedPolicy, { minLength: 1, maxLength: 2 }),
  )
  .map(([scenario, list]) => ({ ...scenario, policies: list.map((body, i) => named(body, `policy-${i}`)) }));

/** The verdict of a connection, and whether it depends on a condition (S7.7). */
function outcome({ cluster }: State, tiers: Tiers, flow: Flow): string {
  const { verdict, egress, ingress } = evaluate(cluster, tiers, flow);
  return `${verdict}${verdict === "Allow" && [egress, ingress].some(isConditional) ? " under a condition" : ""}`;
}

const isConditional = ({ decisions }: WalkVerdict): boolean =>
  decisions.some(({ conditions }) => conditions.some((text) => text.startsWith("conditional on")));

/** A connection that has another outcome under other policies, when owners add policies to both. */
function faultIn(scenario: Scenario, others: readonly Manifest[], roll: () => number): string | undefined {
  const [before, after] = [stateIn(scenario), stateIn(scenario, others)];
  const flows = everyFlow(before).filter(({ protocol, port }) => protocol === "TCP" && port === 80);
  // Of one side only: there, it removes the conditions, and on the other side it may not.
  for (const written of [scenario.policies, others]) {
    const owners = waiversOf(written, roll);
    const [left, right] = [before, after].map(
      (state) => state.withDefinitions([...state.definitions, ...owners]).tiers,
    );
    for (let i = 0; i < 60 && flows.length > 0; i++) {
      const flow = flows[roll() % flows.length]!;
      // In one cluster: endpoints are known by their objects.
      const [old, now] = [left!, right!].map((tiers) => outcome(before, tiers, flow));
      if (old !== now) return `${about(flow)}: ${old}, and ${now}`;
    }
  }
  return undefined;
}

it("S11.6: what is the same stays the same when owners allow plainly what L7 rules allow", () => {
  const seen = { Same: 0, Different: 0, NotDecided: 0 };
  fc.assert(
    fc.property(scenarios, fc.integer(), (scenario, seed) => {
      const roll = dice(seed);
      const others = scenario.policies.map((policy) => respellPolicy(policy, roll));
      const { result } = compareEverywhere(stateIn(scenario), stateIn(scenario, others));
      seen[result]++;
      expect(result).not.toBe("NotDecided");
      if (result === "Same") expect(faultIn(scenario, others, roll)).toBeUndefined();
    }),
    { numRuns: 45 },
  );
  expect(Math.min(seen.Same, seen.Different)).toBeGreaterThan(isFull ? 5 : 0);
});

/** A comparison that forgets these policies of owners. */
function forgetful(before: State, after: State): "Same" | "Different" {
  const formula = new Formula();
  const connection = new Connection(formula);
  const [left, right] = [before, after].map(({ tiers, cluster }) => {
    const walk = new EncodedWalk(new Matching(connection, cluster.cidrGroups), tiers);
    const allowed = formula.and(directions.map((direction) => walk.allows(direction)));
    const plain = directions.map((direction) => not(walk.allowsConditionally(direction)));
    return [allowed, formula.and([allowed, ...plain])] as const;
  });
  const difference = formula.or([0, 1].map((i) => formula.differ(left![i]!, right![i]!)));
  connection.close();
  const isSame = difference === FALSE || formula.solver.solve([difference]) === "unsatisfiable";
  return isSame ? "Same" : "Different";
}

it("S11.6: … which a comparison that forgets these policies gets wrong", () => {
  const wrong = fc
    .sample(fc.tuple(scenarios, fc.integer()), { seed: 1, numRuns: 40 })
    .filter(([scenario, seed]) => {
      const roll = dice(seed);
      const others = scenario.policies.map((policy) => respellPolicy(policy, roll));
      const isSame = forgetful(stateIn(scenario), stateIn(scenario, others)) === "Same";
      return isSame && faultIn(scenario, others, roll) !== undefined;
    });
  expect(wrong.length).toBeGreaterThan(0);
});

it("S11.2, S11.3: for guarantees, owners who allow everything, isolate or do nothing are enough", () => {
  let conditional = 0;
  fc.assert(
    fc.property(scenarios, fc.integer(), (scenario, seed) => {
      const roll = dice(seed);
      const state = stateIn(scenario);
      const flows = everyFlow(state).filter(({ protocol, port }) => protocol === "TCP" && port === 80);
      const waivers = waiversOf(scenario.policies, roll);
      const acts = [[], policiesOf("allow"), policiesOf("isolate")];
      const [removed, ...others] = [waivers, ...acts].map(
        (added) => state.withDefinitions([...state.definitions, ...added]).tiers,
      );
      for (let i = 0; i < 40 && flows.length > 0; i++) {
        const flow = flows[roll() % flows.length]!;
        for (const direction of directions) {
          const walks = [removed!, ...others].map((tiers) =>
            evaluateDirection(direction, state.cluster, tiers, flow),
          );
          const [walk, ...alternatives] = walks;
          // One of them ends in the same way, with any condition that is left.
          const isCovered = alternatives.some(
            (other) => other.verdict === walk!.verdict && (isConditional(other) || !isConditional(walk!)),
          );
          expect(`${about(flow)} ${direction}: ${isCovered}`).toBe(`${about(flow)} ${direction}: true`);
          if (isConditional(walk!)) conditional++;
        }
      }
    }),
    { numRuns: 30 },
  );
  expect(conditional).toBeGreaterThan(0);
});

/** NetworkPolicies of all owners. */
const policiesOf = (act: "allow" | "isolate") =>
  stateOf(
    namespaceNames.map((namespace) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: act, namespace },
      spec: {
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        ...(act === "allow" ? { ingress: [{}], egress: [{}] } : {}),
      },
    })),
  ).definitions;
