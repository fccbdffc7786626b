import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AskedPair } from "../analysis/explain/ask.js";
import type { State } from "../state/state.js";
import { compile } from "../engine/engine.js";
import type { DeciderEffects } from "../engine/usage/decider-effects.js";
import { explore } from "../evaluate/facts.js";
import { type Endpoint, formatEndpoint } from "../evaluate/flow.js";
import type { Direction, Isolation, Rule, Tier, TierName } from "../policy/model.js";
import { commonFamilies, familiesOf, outsideEnds } from "../../testing/all-ends.js";
import { decidersOf, type Decides } from "../../testing/flow-deciders.js";
import { flowsAmong, membersOf, memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { andForeign } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

type Known = "decides" | "may-decide";

/** The deciders of some of these connections, certain or possible. */
function decidingIn(
  state: State,
  direction: Direction,
  pairs: readonly AskedPair[],
): ReadonlyMap<Decides, Known> {
  const found = new Map<Decides, Known>();
  for (const flow of flowsAmong(pairs, portsAtBorders(state))) {
    const runs = explore((unknowns) =>
      decidersOf(direction, state, { flow, cluster: state.cluster, unknowns }),
    ).map(({ value }) => value);
    for (const decider of new Set(runs.flat()))
      if (runs.every((run) => run.includes(decider))) found.set(decider, "decides");
      else if (!found.has(decider)) found.set(decider, "may-decide");
  }
  return found;
}

/** Everything that an endpoint may connect to: all other members, itself through a Service, and addresses. */
function pairsOf(
  state: State,
  end: Endpoint,
): { readonly from: readonly AskedPair[]; readonly to: readonly AskedPair[] } {
  const isIt = (other: Endpoint) => formatEndpoint(other) === formatEndpoint(end);
  // A node named by one of its addresses is only a part of the node.
  const isWhole = (other: Endpoint) => other.kind !== "node" || other.address === undefined;
  const all = [
    ...memberPairs(state.cluster),
    ...otherPairs(state).filter((pair) => pair.toItself !== true),
    ...outsideEnds.flatMap((external) =>
      membersOf(state.cluster).flatMap((member) =>
        commonFamilies([familiesOf(state, member), [external.address.family]]).flatMap((family) => [
          { source: external, destination: member, family: family! },
          { source: member, destination: external, family: family! },
        ]),
      ),
    ),
  ].filter(({ source, destination }) => isWhole(source) && isWhole(destination));
  return {
    from: all.filter(({ source }) => isIt(source)),
    to: all.filter(({ destination }) => isIt(destination)),
  };
}

const isWithItself = ({ source, destination }: AskedPair): boolean =>
  formatEndpoint(source) === formatEndpoint(destination);

/** `guard spec.ingress[0]: decides` for all rules of some tiers, and the effect of isolation in each. */
function summary(
  tiers: readonly Tier[],
  effectOf: (decider: Rule | Isolation, tier: TierName) => string | undefined,
): readonly string[] {
  return tiers.flatMap((tier) => [
    ...tier.rules.map(
      (rule) => `${rule.origin.policy.name} ${rule.origin.path}: ${effectOf(rule, tier.name) ?? "never"}`,
    ),
    `${tier.name} isolation: ${tier.isolation.map((entry) => effectOf(entry, tier.name)).find((effect) => effect !== undefined) ?? "never"}`,
  ]);
}

const effectIn = (effects: DeciderEffects) => (decider: Rule | Isolation, tier: TierName) =>
  effects.of(
    "action" in decider
      ? { kind: "rule", tier, rule: decider }
      : { kind: "isolation", tier, isolation: [decider] },
  )?.kind;

describe("a rule that never decides for a pod decides none of its connections; one that decides does", () => {
  it.each([
    { of: "everything known", choices: { maxLength: 5, maxPods: 4, complete: true }, runs: 40 },
    { of: "facts missing", choices: { maxLength: 4, maxPods: 4 }, runs: 40 },
    { of: "foreign policies", choices: { kinds: andForeign, maxLength: 5, maxPods: 4 }, runs: 30 },
  ])("$of", ({ choices, runs }) => {
    fc.assert(
      fc.property(anyScenario(choices), fc.nat(), (scenario, which) => {
        const state = stateIn(scenario);
        const ends = [...membersOf(state.cluster), ...outsideEnds];
        const end = ends[which % ends.length]!;
        const effects = compile(state.cluster, state.tiers).ruleEffects(end)!;
        const { from, to } = pairsOf(state, end);
        const template = end.kind === "pod" && end.pod.fromTemplate === true;
        const asPeer = (pairs: readonly AskedPair[]) =>
          pairs.filter((pair) => template || !isWithItself(pair));
        const cases = [
          { who: effects.asSubject.egress, direction: "egress", pairs: from },
          { who: effects.asSubject.ingress, direction: "ingress", pairs: to },
          { who: effects.asPeer.egress, direction: "egress", pairs: asPeer(to) },
          { who: effects.asPeer.ingress, direction: "ingress", pairs: asPeer(from) },
        ] as const;
        for (const { who, direction, pairs } of cases) {
          const wanted = decidingIn(state, direction, pairs);
          // As a peer it meets the isolation of others, which this does not cover.
          const isSubject = who === effects.asSubject[direction];
          const tiers = state.tiers[direction].map((tier) => (isSubject ? tier : { ...tier, isolation: [] }));
          expect(summary(tiers, effectIn(who))).toEqual(summary(tiers, (decider) => wanted.get(decider)));
        }
      }),
      { numRuns: Number(process.env.RUNS ?? runs) },
    );
  });
});
