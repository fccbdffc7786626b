import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import { commonFamilies, familiesOf, insideEnds, probedPorts } from "../../../testing/all-ends.js";
import { andForeign, evaluatedKinds } from "../../../testing/arbitrary/arbitrary-policies.js";
import { about, anyScenario, flowsOf, stateIn } from "../../../testing/arbitrary/scenario.js";
import { compile, type Engine } from "../engine.js";

// Every flow of many clusters takes a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

function expectLiteral(engine: Engine, flow: Flow): void {
  const literal = evaluate(engine.cluster, engine.tiers, flow);
  const found = engine.explain(flow);
  expect([about(flow), found.verdict]).toEqual([about(flow), literal.verdict]);
  for (const direction of ["egress", "ingress"] as const) {
    const { verdict, decisions } = literal[direction];
    const deciders = decisions.map(({ by }) => by);
    expect([about(flow), found[direction]]).toEqual([about(flow), { verdict, deciders }]);
  }
}

describe("an explanation", () => {
  it.each([
    ["", evaluatedKinds],
    [", foreign policies among them", andForeign],
  ] as const)("names the deciders that the literal evaluator names%s", (_, kinds) => {
    fc.assert(
      fc.property(anyScenario({ kinds, maxLength: 8 }), (scenario) => {
        const state = stateIn(scenario);
        const engine = compile(state.cluster, state.tiers);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question)))
          expectLiteral(engine, flow);
      }),
      { numRuns: Number(process.env.RUNS ?? 200) },
    );
  });

  it("names those of today after pods have changed", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 6 }), fc.nat(), fc.nat(), (scenario, changed, like) => {
        const { cluster, tiers } = stateIn(scenario);
        const engine = compile(cluster, tiers);
        const pods = [...cluster.pods];
        const [key, pod] = pods[changed % pods.length]!;
        const { labels } = pods[like % pods.length]![1];
        // Asked before as well, so that what is remembered from then would be found out.
        for (const { end, flow } of flowsBetweenAll(engine)) if (end === key) engine.explain(flow);
        engine.update({ pods: new Map([[key, { ...pod, labels: { ...labels, app: "new" } }]]) });
        for (const { flow } of flowsBetweenAll(engine)) expectLiteral(engine, flow);
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });
});

function* flowsBetweenAll(engine: Engine): Iterable<{ readonly end: string; readonly flow: Flow }> {
  const ends = insideEnds(engine);
  for (const [end, source] of ends)
    for (const destination of ends.values())
      for (const family of commonFamilies([familiesOf(engine, source), familiesOf(engine, destination)]))
        for (const port of probedPorts.slice(0, 2))
          if (source !== destination)
            yield {
              end,
              flow: { source, destination, ...port, ...(family === undefined ? {} : { family }) },
            };
}
