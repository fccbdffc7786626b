import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { type Flow, subjectOf } from "../../evaluate/flow.js";
import {
  commonFamilies,
  familiesOf,
  insideEnds,
  outsideEnds,
  probedPorts,
} from "../../../testing/all-ends.js";
import { about, anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { compile, type Engine } from "../engine.js";
import type { ExternalBlock } from "./external-pairs.js";
import { endpointsOf } from "../classes/members.js";

function* flowsOf(
  { cluster }: Engine,
  { direction, family, classes, size, ranges }: ExternalBlock,
): Iterable<Flow> {
  const pods = classes.flatMap((end) => [...endpointsOf(cluster, end)]);
  expect(pods).toHaveLength(size);
  const addresses = outsideEnds.filter(({ address }) =>
    ranges.some((r) => r.family === address.family && r.first <= address.value && address.value <= r.last),
  );
  for (const pod of pods)
    for (const external of addresses) {
      const [source, destination] = direction === "egress" ? [pod, external] : [external, pod];
      for (const port of probedPorts) yield { source, destination, family, ...port };
    }
}

describe("pods and external addresses", () => {
  it("get the answers of the literal evaluator, each pair once", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 6 }), (scenario) => {
        const state = stateIn(scenario);
        const engine = compile(state.cluster, state.tiers);
        const found = new Map<string, string>();
        for (const block of engine.externalPairs())
          for (const flow of flowsOf(engine, block)) {
            expect([...found.keys()]).not.toContain(about(flow));
            const isIn = (ports: number) => engine.ports.contains(ports, flow.protocol, flow.port);
            found.set(
              about(flow),
              isIn(block.allowed) ? "Allow" : isIn(block.undecided) ? "Undecided" : "Deny",
            );
            expect([about(flow), found.get(about(flow))]).toEqual([
              about(flow),
              evaluate(state.cluster, state.tiers, flow).verdict,
            ]);
          }
        let expected = 0;
        for (const end of insideEnds(state).values())
          for (const external of outsideEnds)
            if (subjectOf(end) !== undefined)
              expected += commonFamilies([familiesOf(state, end), familiesOf(state, external)]).length;
        expect(found.size).toBe(expected * 2 * probedPorts.length);
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  it("are put together as far as they go: no range of a block is next to another", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 6 }), (scenario) => {
        const { cluster, tiers } = stateIn(scenario);
        for (const { ranges } of compile(cluster, tiers).externalPairs())
          for (const [i, { first }] of ranges.entries())
            if (i > 0) expect(first).toBeGreaterThan(ranges[i - 1]!.last + 1n);
      }),
      { numRuns: Number(process.env.RUNS ?? 30) },
    );
  });
});
