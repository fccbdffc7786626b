import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "../analysis/explain/ask.js";
import {
  anyGuardrail,
  type DraftAction,
  type DraftSpec,
} from "../../testing/arbitrary/arbitrary-first-draft.js";
import type { NetworkPolicySpec } from "../../testing/arbitrary/arbitrary-network-policy.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, type Scenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";
import {
  asCiliumDeny,
  asCiliumPolicy,
  asDefaultPolicy,
  asKepPolicy,
  namesItsPeers,
  withoutBlocks,
} from "../../testing/transform/translate-isolating.js";

function expectSame(
  scenario: Scenario,
  a: readonly Manifest[],
  b: readonly Manifest[],
  about: (question: Question) => boolean = () => true,
): void {
  const questions = scenario.questions.filter(about);
  const [x, y] = [a, b].map((policies) => verdictsIn(stateIn(scenario, policies), questions));
  expect(y).toEqual(x);
}

const translated = (
  policies: readonly Manifest[],
  translate: (policy: Manifest<NetworkPolicySpec>) => Manifest,
): readonly Manifest[] =>
  policies.map((policy) =>
    policy.kind === "NetworkPolicy" ? translate(policy as Manifest<NetworkPolicySpec>) : policy,
  );

describe("a NetworkPolicy in other APIs", () => {
  const nps = ["NetworkPolicy", "NetworkPolicy", "NetworkPolicy"] as const;

  it("S6.5: is a default policy for its namespace, where there is no baseline and nothing else isolates", () => {
    const kinds = [...nps, "AdminNetworkPolicy", "first draft"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 1 }), (scenario) => {
        const policies = scenario.policies.map(withoutBlocks);
        expectSame(scenario, policies, translated(policies, asDefaultPolicy));
      }),
      { numRuns: 100 },
    );
  });

  it("S7.1, S7.2: is a CiliumNetworkPolicy, among others of both kinds", () => {
    const kinds = [...nps, "Cilium", "AdminNetworkPolicy", "default policy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, minLength: 1, conditions: false }), (scenario) => {
        const policies = scenario.policies.map(withoutBlocks);
        expectSame(scenario, policies, translated(policies, asCiliumPolicy));
      }),
      { numRuns: 100 },
    );
  });

  it("S2.3, S7.5: its ipBlocks are Cilium's CIDRs for addresses outside the cluster", () => {
    const isExternal = ({ from, to }: Question) =>
      [from, to].some((ref) => ref.kind === "address" && !isNode(ref.address));
    const isNode = ({ family, value }: { family: 4 | 6; value: bigint }) =>
      family === 4 ? value >> 16n === 0xc0a8n : value >> 112n === 0xfd01n;
    fc.assert(
      fc.property(anyScenario({ kinds: ["NetworkPolicy"], minLength: 1 }), (scenario) => {
        const { policies } = scenario;
        expectSame(scenario, policies, translated(policies, asCiliumPolicy), isExternal);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the first draft's ClusterNetworkPolicy in other APIs", () => {
  const drafts = (actions: readonly DraftAction[]) =>
    fc
      .array(anyGuardrail(actions), { minLength: 1, maxLength: 3 })
      .map((list) => list.map((policy, i) => named(policy, `draft-${i}`)));
  const kinds = ["NetworkPolicy", "default policy", "Cilium"] as const;

  it.each([
    ["Empower and Deny", ["Empower", "Deny"]],
    ["Deny and Allow", ["Deny", "Allow"]],
  ] as const)("S6.1: %s rules are two priorities of the KEP's AdminNetworkPolicy", (_title, actions) => {
    fc.assert(
      fc.property(anyScenario({ kinds }), drafts(actions), (scenario, drafts) => {
        // The KEP cannot express "every peer".
        const sayable = drafts.map((draft) => {
          const { appliedTo, ingress, egress } = draft.spec!;
          return {
            ...draft,
            spec: {
              appliedTo,
              ingress: (ingress ?? []).filter(namesItsPeers),
              egress: (egress ?? []).filter(namesItsPeers),
            },
          };
        });
        const inKep = sayable.flatMap((draft) =>
          actions.map((action, i) => asKepPolicy(draft, action, 900 - i)),
        );
        expectSame(scenario, [...scenario.policies, ...sayable], [...scenario.policies, ...inKep]);
      }),
      { numRuns: 40 },
    );
  });

  it("S7.1: Deny rules with selectors are Cilium's deny items, except for a pod's own node (S7.8)", () => {
    const plain = ({ spec }: Manifest<DraftSpec>) =>
      !/"(Self|SameLabels|Selector)"/.test(JSON.stringify(spec));
    const isNode = (ref: Question["from"], { cluster }: Scenario) =>
      ref.kind === "node" ||
      ref.kind === "address" ||
      (ref.kind === "named" && cluster.pods.some((pod) => pod.name === ref.name && pod.hostNetwork));
    fc.assert(
      fc.property(
        anyScenario({ kinds: ["NetworkPolicy", "default policy", "Cilium"] }),
        drafts(["Deny"]),
        (scenario, drafts) => {
          const sayable = drafts.filter(plain);
          const inCilium = sayable.map(asCiliumDeny);
          expectSame(
            scenario,
            [...scenario.policies, ...sayable],
            [...scenario.policies, ...inCilium],
            ({ from }) => !isNode(from, scenario),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
