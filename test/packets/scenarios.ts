import fc from "fast-check";
import type { Flow, State } from "@tierwall/core";
import {
  anyCluster,
  anyFacts,
  type ClusterModel,
} from "../../packages/core/src/testing/arbitrary-cluster.js";
import { anyPolicies } from "../../packages/core/src/testing/arbitrary-policies.js";
import { memberPairs, otherPairs, portsAtBorders } from "../../packages/core/src/testing/every-flow.js";
import type { Scenario } from "../../packages/core/src/testing/scenario.js";

/** One cluster, and what is known besides, under several sets of policies: all of them fit into one lab. */
export interface Series {
  readonly cluster: ClusterModel;
  readonly scenarios: readonly Scenario[];
}

const known = { complete: true } as const;

/** Cilium alone as well, which has the most kinds of peers. */
const mixes = [
  { minLength: 2, maxLength: 6 },
  { minLength: 4, maxLength: 12 },
  { minLength: 1, maxLength: 4, kinds: ["Cilium"] },
] as const;

/** The same for the same seed. */
export function seriesOf(seed: number, count: number): Series {
  const policies = fc.oneof(...mixes.map((mix) => anyPolicies({ ...mix, unknowable: false })));
  const series = anyCluster({ ...known, minPods: 4, maxPods: 6, maxReplicas: 2 }).chain((cluster) =>
    fc
      .tuple(fc.array(policies, { minLength: count, maxLength: count }), anyFacts(known))
      .map(([sets, facts]): Series => {
        const scenarios = sets.map((policies) => ({ cluster, policies, facts, questions: [] }));
        return { cluster, scenarios };
      }),
  );
  return fc.sample(series, { seed, numRuns: 1 })[0]!;
}

/** About so many of all connections that a rule could tell from another, spread evenly over them. */
export function flowsIn(state: State, wanted: number): readonly Flow[] {
  const pairs = [...memberPairs(state.cluster), ...otherPairs(state)];
  const ports = portsAtBorders(state);
  const all = pairs.length * ports.length;
  const step = Math.max(1, all / wanted);
  const chosen: Flow[] = [];
  // A golden stride, so that neighbours in the list, which are alike, are not all of one kind.
  for (let i = 0; i < all / step; i++) {
    const at = Math.floor((i * 0.6180339887498949 * all) % all);
    chosen.push({ ...pairs[Math.floor(at / ports.length)]!, ...ports[at % ports.length]! });
  }
  return chosen;
}
