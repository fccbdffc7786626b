import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { overrides } from "../analysis/proof/overridden.js";
import { compile } from "../engine/engine.js";
import { evaluateDirection } from "../evaluate/evaluate.js";
import { type Flow, subjectOf } from "../evaluate/flow.js";
import { isolatingIn, ruleMatches } from "../evaluate/walk.js";
import { explore } from "../evaluate/facts.js";
import { formatPolicy, type Tiers } from "../policy/model.js";
import { everyFlow } from "../../testing/transform/changed-without.js";
import { about, anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

/** As if tier network-policy were the only one. */
const localOnly = ({ egress, ingress }: Tiers): Tiers => {
  const local = (list: typeof egress) => list.filter(({ name }) => name === "network-policy");
  return { egress: local(egress), ingress: local(ingress) };
};

/** A pod and itself, through a Service, are not a pair. */
const isOfOnePod = ({ source, destination }: Flow): boolean =>
  source.kind === "pod" && destination.kind === "pod" && source.pod === destination.pod;

describe("a policy that is overridden", () => {
  it("S1.1: in each example the rule decides, and the policy alone would decide differently", () => {
    let found = 0;
    fc.assert(
      fc.property(anyScenario({ minLength: 3, maxLength: 8, maxReplicas: 2 }), (scenario) => {
        const { cluster, tiers } = stateIn(scenario);
        for (const { policy, direction, intent, by } of overrides(compile(cluster, tiers)))
          for (const { rule, example } of by) {
            found++;
            const flow = example();
            const now = evaluateDirection(direction, cluster, tiers, flow);
            const local = evaluateDirection(direction, cluster, localOnly(tiers), flow);
            const wanted = intent === "allows" ? "Allow" : "Deny";
            const title = `${formatPolicy(policy)} ${intent} ${about(flow)}`;
            expect([title, now.decisions.map(({ by }) => by.kind === "rule" && by.rule === rule)]).toEqual([
              title,
              [true],
            ]);
            expect([title, now.verdict === wanted, local.verdict]).toEqual([title, false, wanted]);
            const [end, other] =
              direction === "egress" ? [flow.source, flow.destination] : [flow.destination, flow.source];
            const subject = subjectOf(end)!;
            const [tier] = localOnly(tiers)[direction];
            const isConcerned =
              intent === "isolates"
                ? isolatingIn(tier!, subject).some(
                    ({ origin }) => origin.kind === "policy" && origin.policy === policy,
                  )
                : tier!.rules.some(
                    (own) =>
                      own.origin.policy === policy &&
                      explore((unknowns) =>
                        ruleMatches(own, subject, other, { flow, cluster, unknowns }),
                      ).every(({ value }) => value),
                  );
            expect([title, isConcerned]).toEqual([title, true]);
          }
      }),
      { numRuns: 60 },
    );
    expect(found).toBeGreaterThan(isFull ? 3 : 0);
  });

  it("is reported, with everything known, whenever earlier tiers decide differently than its own", () => {
    const choices = { complete: true, unknowable: false, minLength: 3, maxLength: 6 };
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const state = stateIn(scenario);
        const { cluster, tiers } = state;
        const reported = new Set(
          overrides(compile(cluster, tiers)).flatMap(({ by }) => by.map(({ rule }) => rule)),
        );
        for (const flow of everyFlow(state).filter((one) => !isOfOnePod(one)))
          for (const direction of ["egress", "ingress"] as const) {
            const [before] = evaluateDirection(direction, cluster, tiers, flow).decisions;
            const [local] = evaluateDirection(direction, cluster, localOnly(tiers), flow).decisions;
            if (before!.by.kind !== "rule" || local!.by.kind === "default" || local!.by.kind === "own-node")
              continue;
            const isBefore = before!.by.tier.startsWith("guardrail") || before!.by.tier === "admin";
            if (isBefore && before!.verdict !== local!.verdict)
              expect([about(flow), reported.has(before!.by.rule)]).toEqual([about(flow), true]);
          }
      }),
      { numRuns: 15 },
    );
  });
});
