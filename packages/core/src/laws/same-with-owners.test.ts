import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { evaluate } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import { directions, type Tiers } from "../policy/model.js";
import { Connection, EncodedWalk, Formula, Matching } from "../prove/encode/index.js";
import { FALSE, not } from "../prove/sat/index.js";
import { compareEverywhere } from "../prove/same/index.js";
import type { State } from "../state/state.js";
import { anyCiliumItem, type CiliumItem } from "../../testing/arbitrary/arbitrary-cilium.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import {
  anyNamespaceName,
  anyOf,
  type Manifest,
  type Unnamed,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";
import { dice } from "../../testing/encoder-agreement.js";
import { waiversOf } from "../../testing/owners-waivers.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { respellPolicy } from "../../testing/transform/respell.js";

const choices = { unknowable: false, conditions: false } as const;

/** An item of a Cilium policy with L7 rules, most of the time. */
const watchedItem = (section: "ingress" | "egress"): fc.Arbitrary<CiliumItem> =>
  fc.tuple(anyCiliumItem(section, choices), fc.nat(3)).map(([{ icmps: _, ...item }, die]) => {
    const ports =
      die === 1
        ? [
            { port: "80", protocol: "TCP" },
            { port: "http", protocol: "TCP" },
          ]
        : [{ port: "80", protocol: "TCP" }];
    return die === 0 ? item : { ...item, toPorts: [{ ports, rules: { http: [{ method: "GET" }] } }] };
  });

const watched: fc.Arbitrary<Unnamed<unknown>> = fc
  .tuple(fc.option(anyNamespaceName, { nil: undefined }), anyOf<"ingress" | "egress">("ingress", "egress"))
  .chain(([namespace, section]) =>
    fc.array(watchedItem(section), { minLength: 1, maxLength: 2 }).map((items) => ({
      apiVersion: "cilium.io/v2",
      kind: namespace === undefined ? "CiliumClusterwideNetworkPolicy" : "CiliumNetworkPolicy",
      ...(namespace === undefined ? {} : { namespace }),
      spec: { endpointSelector: {}, [section]: items },
    })),
  );

/** Everything is known, so that a condition does not depend on facts. */
const scenarios: fc.Arbitrary<Scenario> = fc
  .tuple(anyScenario({ complete: true, maxLength: 0 }), fc.array(watched, { minLength: 1, maxLength: 2 }))
  .map(([scenario, list]) => ({ ...scenario, policies: list.map((body, i) => named(body, `policy-${i}`)) }));

/** The verdict of a connection, and whether it depends on a condition (S7.7). */
function outcome({ cluster }: State, tiers: Tiers, flow: Flow): string {
  const { verdict, egress, ingress } = evaluate(cluster, tiers, flow);
  const conditions = [egress, ingress].flatMap(({ decisions }) =>
    decisions.flatMap((decision) => decision.conditions),
  );
  const isConditional = conditions.some((text) => text.startsWith("conditional on"));
  return `${verdict}${verdict === "Allow" && isConditional ? " under a condition" : ""}`;
}

/** A connection that has another outcome under other policies, when owners add policies to both. */
function faultIn(scenario: Scenario, others: readonly Manifest[], roll: () => number): string | undefined {
  const [before, after] = [stateIn(scenario), stateIn(scenario, others)];
  const flows = everyFlow(before);
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
    { numRuns: 60 },
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
    .sample(fc.tuple(scenarios, fc.integer()), { seed: 1, numRuns: 25 })
    .filter(([scenario, seed]) => {
      const roll = dice(seed);
      const others = scenario.policies.map((policy) => respellPolicy(policy, roll));
      const isSame = forgetful(stateIn(scenario), stateIn(scenario, others)) === "Same";
      return isSame && faultIn(scenario, others, roll) !== undefined;
    });
  expect(wrong.length).toBeGreaterThan(0);
});
