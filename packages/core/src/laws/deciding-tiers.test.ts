import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decidedBy, type Meant, type Side } from "../analysis/matrix/decided-by.js";
import { decidingTiers, type TierVerdict, tierVerdicts } from "../analysis/matrix/deciding-tiers.js";
import { matrixOf } from "../analysis/matrix/matrix.js";
import type { AskedPair } from "../analysis/explain/ask.js";
import { partyKey, partyOf } from "../analysis/endpoints/party.js";
import { compile, type Engine } from "../engine/engine.js";
import type { Member } from "../engine/classes/ends.js";
import type { FlowExplanation } from "../engine/walk/explanation.js";
import { nearnessOf } from "../engine/classes/members.js";
import { realPorts } from "../engine/change/translation.js";
import type { Endpoint } from "../evaluate/flow.js";
import type { Decider } from "../evaluate/walk.js";
import { tierNames } from "../policy/model.js";
import { memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { everything } from "../../testing/matrix-world.js";
import { anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";
import { clusters } from "../../testing/search.js";

const keyOf = (end: Endpoint) => (end.kind === "external" ? "outside" : partyKey(partyOf(end, "pod")));
const isHost = (end: Endpoint) => end.kind === "node" || (end.kind === "pod" && end.pod.hostNetwork);

/** The first direction that denies decides; otherwise the higher tier of the two that allow. */
function tierOf({ egress, ingress }: FlowExplanation): TierVerdict {
  for (const { verdict, deciders } of [egress, ingress]) {
    const [by] = deciders;
    if (verdict === "Deny" && by !== undefined && "tier" in by)
      return { kind: "tier", tier: by.tier, verdict: "Deny" };
  }
  if (egress.verdict === "Undecided" || ingress.verdict === "Undecided") return { kind: "undecided" };
  const allowing = [egress, ingress].flatMap(({ deciders }) =>
    deciders.flatMap((by) => ("tier" in by ? by.tier : [])),
  );
  const tier = tierNames.find((name) => allowing.includes(name));
  return tier === undefined ? { kind: "default" } : { kind: "tier", tier, verdict: "Allow" };
}

function explained(
  engine: Engine,
  pair: AskedPair,
  port: { protocol: "TCP" | "UDP" | "SCTP" | "ICMP"; port: number },
) {
  return engine.explain({ ...pair, ...port });
}

describe("the tier that a picture shows for a pair and a port is the one that decides", () => {
  it.each([
    { of: "small", runs: 8 },
    { of: "crowded", runs: 2 },
    { of: "foreign", runs: 5 },
    { of: "cilium", runs: 5 },
  ] as const)("$of", ({ of, runs }) => {
    fc.assert(
      fc.property(anyScenario(clusters[of]), (scenario) => {
        const state = stateIn(scenario);
        const engine = compile(state.cluster, state.tiers);
        const matrix = matrixOf(engine, { ...everything, by: "pod" });
        if (!matrix.ok) return false;
        const { members, parties } = matrix.value;
        const indexes = new Map(parties.map((party, i) => [partyKey(party), i]));
        for (const port of portsAtBorders(state).filter((_, i) => i % 4 === 0)) {
          const codes = decidingTiers(
            engine,
            members,
            engine.ports.range(port.protocol, port.port, port.port),
          );
          for (const pair of memberPairs(state.cluster)) {
            const [from, to] = [pair.source, pair.destination].map((end) => indexes.get(keyOf(end))!);
            const shown = tierVerdicts[codes[from! * parties.length + to!]!]!;
            // Families that differ are two answers; and for hosts, facts are not explored.
            if (shown.kind === "several") continue;
            if (shown.kind === "undecided" && (isHost(pair.source) || isHost(pair.destination))) continue;
            const said = explained(engine, pair, port);
            // The node of a pod may change the decider, but not the verdict.
            if (
              nearnessOf(pair.source, pair.destination) === "unknown-node" &&
              [pair.source, pair.destination].some(isHost)
            )
              expect(shown.kind === "tier" ? shown.verdict : "Allow").toBe(said.verdict);
            else expect(shown).toEqual(tierOf(said));
          }
        }
        return true;
      }),
      { numRuns: runs },
    );
  });
});

describe("what a tier or a policy decides of a pair according to the engine, it decides in the evaluator", () => {
  const endsOf = (side: Side) => (side === "outside" ? [side] : side.flat());
  const nameOf = (end: Member | "outside") =>
    end === "outside" ? end : "namespace" in end ? `pod ${end.namespace}/${end.name}` : `node ${end.name}`;
  const isBy = (meant: Meant, by: Decider): boolean => {
    if (meant.kind === "tier") return "tier" in by && by.tier === meant.tier;
    if (meant.kind === "default") return by.kind === "default";
    if (by.kind === "rule") return by.rule.origin.policy === meant.policy;
    return (
      by.kind === "isolation" &&
      by.isolation.some(({ origin }) => origin.kind === "policy" && origin.policy === meant.policy)
    );
  };
  it.each([
    { of: "small", runs: 8 },
    { of: "foreign", runs: 8 },
    { of: "cilium", runs: 5 },
  ] as const)("$of", ({ of, runs }) => {
    fc.assert(
      fc.property(
        anyScenario(clusters[of]),
        fc.constantFrom(
          "policy",
          "default",
          ...tierNames,
          ...(of === "foreign" ? (["foreign", "foreign", "foreign"] as const) : []),
        ),
        (scenario, who) => {
          const state = stateIn(scenario);
          const [policy] = state.policies;
          if (who === "policy" && policy === undefined) return true;
          const meant: Meant =
            who === "policy"
              ? { kind: "policy", policy: policy! }
              : who === "default"
                ? { kind: "default" }
                : { kind: "tier", tier: who };
          const engine = compile(state.cluster, state.tiers);
          const { ports } = engine;
          const sums = new Map<string, { allowed: number; denied: number; undecided: number }>();
          for (const { from, to, allowed, denied, undecided } of decidedBy(engine, realPorts(ports), meant))
            for (const source of endsOf(from))
              for (const destination of endsOf(to)) {
                if (source === destination) continue;
                const key = `${nameOf(source)} -> ${nameOf(destination)}`;
                const known = sums.get(key) ?? { allowed: 0, denied: 0, undecided: 0 };
                sums.set(key, {
                  allowed: ports.union(known.allowed, allowed),
                  denied: ports.union(known.denied, denied),
                  undecided: ports.union(known.undecided, undecided),
                });
              }
          for (const port of portsAtBorders(state).filter((_, i) => i % 4 === 0)) {
            const said = new Map<string, { allowed: boolean; denied: boolean; undecided: boolean }>();
            const withAddresses = otherPairs(state).filter(({ source, destination }) =>
              [source, destination].some(({ kind }) => kind === "external"),
            );
            for (const pair of [...memberPairs(state.cluster), ...withAddresses]) {
              if (isHost(pair.source) || isHost(pair.destination)) continue;
              const { verdict, egress, ingress } = explained(engine, pair, port);
              const by = [egress, ingress].filter(({ deciders }) =>
                deciders.every((one) => isBy(meant, one)),
              );
              const key = `${keyOf(pair.source)} -> ${keyOf(pair.destination)}`;
              const known = said.get(key) ?? { allowed: false, denied: false, undecided: false };
              // S9.3: no other tier alone leaves a port undecided.
              const isForeign = [egress, ingress].some(({ deciders }) =>
                deciders.some((by) => "tier" in by && by.tier === "foreign"),
              );
              said.set(key, {
                allowed: known.allowed || (verdict === "Allow" && by.some((one) => one.verdict === "Allow")),
                denied: known.denied || by.some((one) => one.verdict === "Deny"),
                undecided: known.undecided || (who === "foreign" && verdict === "Undecided" && isForeign),
              });
            }
            for (const [key, wanted] of said) {
              const { allowed, denied, undecided } = sums.get(key) ?? { allowed: 0, denied: 0, undecided: 0 };
              const has = (set: number) => ports.contains(set, port.protocol, port.port);
              expect([key, has(allowed), has(denied), has(undecided)]).toEqual([
                key,
                wanted.allowed,
                wanted.denied,
                wanted.undecided,
              ]);
            }
          }
          return true;
        },
      ),
      { numRuns: runs },
    );
  });
});
