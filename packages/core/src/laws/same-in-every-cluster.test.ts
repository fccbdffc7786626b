import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { isObject } from "../manifest/document.js";
import { evaluate } from "../evaluate/evaluate.js";
import { directions } from "../policy/model.js";
import { Connection, EncodedWalk, Formula, Matching, OwnerRules } from "../prove/encode/index.js";
import { FALSE, not } from "../prove/sat/index.js";
import { ownerPolicies } from "../prove/same/cilium-item.js";
import { compareEverywhere } from "../prove/same/index.js";
import type { State } from "../state/state.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";
import { dice } from "../../testing/encoder-agreement.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { splitPolicy } from "../../testing/transform/split.js";

/** Other versions of some policies: most do the same, some do not. */
const edits: readonly ((policies: readonly Manifest[], roll: () => number) => readonly Manifest[])[] = [
  (policies) => policies.map(splitPolicy),
  (policies) => policies.toReversed(),
  (policies, roll) => policies.toSpliced(roll() % policies.length, 1),
  (policies, roll) => policies.toSpliced(roll() % policies.length, 1).map(splitPolicy),
  (policies, roll) => {
    const chosen = roll() % policies.length;
    return policies.map((policy, i) => (i === chosen ? withoutRule(policy, roll()) : policy));
  },
  (policies, roll) => {
    const chosen = roll() % policies.length;
    return policies.map((policy, i) => (i === chosen ? withRulesReversed(policy) : splitPolicy(policy)));
  },
];

const lists = /^(in|e)gress/;

function editRules(policy: Manifest, edit: (rules: readonly unknown[]) => readonly unknown[]): Manifest {
  if (!isObject(policy.spec)) return policy;
  const spec = Object.entries(policy.spec).map(([key, value]) =>
    lists.test(key) && Array.isArray(value) ? [key, edit(value)] : [key, value],
  );
  return { ...policy, spec: Object.fromEntries(spec) as Manifest["spec"] };
}

/** The last rule of a list stays: some lists must not be empty. */
const withoutRule = (policy: Manifest, die: number): Manifest =>
  editRules(policy, (rules) => (rules.length > 1 ? rules.toSpliced(die % rules.length, 1) : rules));

const withRulesReversed = (policy: Manifest): Manifest => editRules(policy, (rules) => rules.toReversed());

/** The two walks as they are written, in one question: no rules are aligned, and nothing is merged. */
function isSameAtOnce(before: State, after: State): boolean {
  const formula = new Formula();
  const connection = new Connection(formula);
  const hasCilium = [before, after].some(({ policies }) =>
    policies.some(({ dialect }) => dialect === "cilium"),
  );
  // CIDR groups are the same on both sides.
  const options = hasCilium ? { ownerRules: new OwnerRules(connection, ownerPolicies) } : {};
  const [left, right] = [before, after].map(({ tiers, cluster }) => {
    const walk = new EncodedWalk(new Matching(connection, cluster.cidrGroups), tiers, options);
    const allowed = formula.and(directions.map((direction) => walk.allows(direction)));
    const plain = directions.map((direction) => not(walk.allowsConditionally(direction)));
    return [allowed, formula.and([allowed, ...plain])] as const;
  });
  const difference = formula.or([0, 1].map((i) => formula.differ(left![i]!, right![i]!)));
  const fixed = hasCilium ? [] : directions.map((direction) => not(connection.owners[direction].deny));
  connection.close();
  return difference === FALSE || formula.solver.solve([...fixed, difference]) === "unsatisfiable";
}

it("S11.6: policies that are the same in every cluster give every connection of any cluster the same verdict", () => {
  const seen = { Same: 0, Different: 0, NotDecided: 0 };
  let connections = 0;
  fc.assert(
    fc.property(
      anyScenario({ complete: true, minLength: 1, maxLength: 5 }),
      fc.nat(edits.length - 1),
      fc.integer(),
      (scenario, edit, seed) => {
        const before = stateIn(scenario);
        const after = stateIn(scenario, edits[edit]!(scenario.policies, dice(seed)));
        const answer = compareEverywhere(before, after);
        seen[answer.result]++;
        expect(answer.result).toBe(isSameAtOnce(before, after) ? "Same" : "Different");
        if (answer.result !== "Same") return;
        const flows = everyFlow(before);
        const roll = dice(seed);
        for (let i = 0; i < 60 && flows.length > 0; i++) {
          const flow = flows[roll() % flows.length]!;
          // In one cluster: endpoints are known by their objects.
          const [old, now] = [before, after].map(
            ({ tiers }) => evaluate(before.cluster, tiers, flow).verdict,
          );
          connections++;
          expect(`${about(flow)}: ${now}`).toBe(`${about(flow)}: ${old}`);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(seen.Same, seen.Different)).toBeGreaterThan(isFull ? 30 : 0);
  expect(connections).toBeGreaterThan(isFull ? 1000 : 0);
});
