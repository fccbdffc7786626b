import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import { parseCidr } from "../net/cidr.js";
import {
  anyFacts,
  type ClusterModel,
  type NodeModel,
  type PodModel,
} from "../../testing/arbitrary/arbitrary-cluster.js";
import {
  fields,
  labelWords,
  anyOf,
  podRange,
  someLabels,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { about, anyScenario, flowsOf, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

/** Which of the missing facts become known, and what they turn out to be. */
const news = fields({
  addresses: fc.nat(63),
  places: fc.nat(63),
  node: anyOf("node-1", "node-2", "elsewhere"),
  elsewhere: fc.option(someLabels(labelWords.node)),
  range: fc.boolean(),
  facts: anyFacts({ complete: true }),
  kinds: fc.subarray(["apiServer", "dns"] as const),
});
type News = typeof news extends fc.Arbitrary<infer T> ? T : never;

const isAdded = (bits: number, i: number) => ((bits >> i) & 1) === 1;

function learn(cluster: ClusterModel, { addresses, places, node, elsewhere }: News): ClusterModel {
  const nodes: readonly NodeModel[] =
    elsewhere === null
      ? cluster.nodes
      : [...cluster.nodes, { name: "elsewhere", labels: elsewhere, ips: [] }];
  const pods = cluster.pods.map((pod, i): PodModel => {
    const placed = pod.node === undefined && isAdded(places, i) ? { ...pod, node } : pod;
    const ips = [`10.0.0.${i + 1}`, `fd00::${i + 1}`];
    return pod.ips.length === 0 && !pod.hostNetwork && isAdded(addresses, i) ? { ...placed, ips } : placed;
  });
  return { ...cluster, nodes, pods };
}

function wiser(scenario: Scenario, added: News): Scenario {
  const ranges = added.range ? [podRange[4], podRange[6]].map((text) => parseCidr(text)!) : [];
  const chosen = Object.fromEntries(added.kinds.map((kind) => [kind, added.facts[kind]]));
  return {
    ...scenario,
    cluster: learn(scenario.cluster, added),
    facts: { ...chosen, ...scenario.facts, podCidrs: added.range ? ranges : (scenario.facts.podCidrs ?? []) },
  };
}

describe("adding facts", () => {
  it("S9.1: never flips a verdict that was decided without assumptions, and Undecided may become anything", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 1 }), news, (scenario, added) => {
        const [before, after] = [stateIn(scenario), stateIn(wiser(scenario, added))];
        for (const question of scenario.questions) {
          const later = flowsOf(after, question);
          for (const flow of flowsOf(before, question)) {
            // Without any family, `::/0` and `0.0.0.0/0` both match by S1.14: a separate assumption.
            const same = later.filter((f) => flow.family !== undefined && about(f) === about(flow));
            const old = evaluate(before.cluster, before.tiers, flow);
            for (const now of same.map((f) => evaluate(after.cluster, after.tiers, f)))
              for (const direction of ["egress", "ingress"] as const) {
                // S1.14, S8.3: assumptions are noted.
                if (old[direction].verdict === "Undecided" || old[direction].notes.length > 0) continue;
                expect(`${direction} ${about(flow)}: ${now[direction].verdict}`).toBe(
                  `${direction} ${about(flow)}: ${old[direction].verdict}`,
                );
              }
          }
        }
      }),
      { numRuns: 120 },
    );
  });
});
