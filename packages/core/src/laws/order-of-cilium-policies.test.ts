import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "../analysis/explain/ask.js";
import type { State } from "../state/state.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, connectionsIn, stateIn } from "../../testing/arbitrary/scenario.js";
import { withListsShuffled, withNamesExchanged } from "../../testing/transform/shuffle.js";

const sections = ["specs", "ingress", "ingressDeny", "egress", "egressDeny"];
const peers = ["Endpoints", "CIDR", "CIDRSet", "Entities", "Services", "FQDNs"].flatMap((kind) => [
  `from${kind}`,
  `to${kind}`,
]);
const lists = [...sections, ...peers, "toPorts", "ports", "icmps", "fields", "except"];
const scenarios = (minLength: number) =>
  anyScenario({ kinds: ["Cilium", "Cilium", "NetworkPolicy"], minLength });
const isCilium = ({ apiVersion }: Manifest) => apiVersion === "cilium.io/v2";

/** Verdicts with the conditions of an Allow, which must not depend on the order either. */
const answers = (state: State, questions: readonly Question[]) =>
  connectionsIn(state, questions).map(({ verdict, egress, ingress }) => [
    verdict,
    ...[egress, ingress].map((walk) => [walk.verdict, walk.decisions[0]!.conditions.toSorted()]),
  ]);

describe("the order of Cilium's policies", () => {
  it("S7.1: of their rules, items, peers and ports changes no verdict and no condition", () => {
    fc.assert(
      fc.property(scenarios(2), fc.nat(), (scenario, seed) => {
        const reordered = withNamesExchanged(scenario.policies, isCilium, seed).map((policy) =>
          isCilium(policy) ? withListsShuffled(policy, lists, seed) : policy,
        );
        const decided = (list: ReturnType<typeof answers>) =>
          list.map((answer) => (answer[0] === "Undecided" ? "Undecided" : answer));
        expect(decided(answers(stateIn(scenario, reordered), scenario.questions))).toEqual(
          decided(answers(stateIn(scenario), scenario.questions)),
        );
      }),
      { numRuns: 120 },
    );
  });

  it("S7.1: `spec` and the items of `specs` mean the same as separate policies", () => {
    fc.assert(
      fc.property(scenarios(1), (scenario) => {
        const apart = scenario.policies.flatMap((policy): Manifest[] => {
          if (!isCilium(policy)) return [policy];
          const { spec, specs = [], ...rest } = policy;
          return [...(spec === undefined ? [] : [spec]), ...specs].map((rule, i) => ({
            ...rest,
            metadata: { ...rest.metadata, name: `${rest.metadata.name}-${i}` },
            ...(i % 2 === 0 ? { spec: rule } : { specs: [rule] }),
          }));
        });
        expect(answers(stateIn(scenario, apart), scenario.questions)).toEqual(
          answers(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 80 },
    );
  });
});
