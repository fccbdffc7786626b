import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { State } from "../../state/state.js";
import { evaluate } from "../../evaluate/evaluate.js";
import { type Endpoint, type Flow, formatEndpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import {
  commonFamilies,
  familiesOf,
  insideEnds,
  outsideEnds,
  probedPorts,
} from "../../../testing/all-ends.js";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { compile, type Engine } from "../engine.js";
import type { AddressRange } from "./outside-runs.js";
import type { Reached } from "./reach.js";

// Every flow of many clusters takes a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

const isIn = (range: AddressRange, end: Endpoint) =>
  end.kind === "external" &&
  range.family === end.address.family &&
  range.first <= end.address.value &&
  end.address.value <= range.last;

function peersIn(block: Reached): readonly Endpoint[] {
  if (block.kind === "external")
    return outsideEnds.filter((end) => block.ranges.some((range) => isIn(range, end)));
  const members = [...block.members()];
  expect(members).toHaveLength(block.count);
  return members;
}

const nameOf = (end: Endpoint, family: Family | undefined) => `${formatEndpoint(end)} IPv${family ?? "?"}`;

/** For each peer and family, the verdict about each port. */
function said({ ports }: Engine, blocks: Iterable<Reached>): readonly string[] {
  const found: string[] = [];
  for (const block of blocks) {
    const verdicts = probedPorts.map(({ protocol, port }) => {
      if (ports.contains(block.allowed, protocol, port)) return "Allow";
      return ports.contains(block.undecided, protocol, port) ? "Undecided" : "Deny";
    });
    for (const peer of peersIn(block)) found.push(`${nameOf(peer, block.family)}: ${verdicts.join()}`);
  }
  return found.toSorted();
}

function byEvaluation(state: State, end: Endpoint, direction: "egress" | "ingress"): readonly string[] {
  const inside = [...insideEnds(state).values()];
  const hasPolicies = end.kind === "pod" && !end.pod.hostNetwork;
  const peers = [...inside, ...(hasPolicies ? outsideEnds : [])].filter(
    (other) => formatEndpoint(other) !== formatEndpoint(end),
  );
  return peers
    .flatMap((peer) =>
      commonFamilies([familiesOf(state, end), familiesOf(state, peer)]).map((family) => {
        const [source, destination] = direction === "egress" ? [end, peer] : [peer, end];
        const verdicts = probedPorts.map((port) => {
          const flow: Flow = { source, destination, ...port, ...(family === undefined ? {} : { family }) };
          return evaluate(state.cluster, state.tiers, flow).verdict;
        });
        return `${nameOf(peer, family)}: ${verdicts.join()}`;
      }),
    )
    .toSorted();
}

describe("the peers of one end", () => {
  it.each([
    ["egress", (engine: Engine, end: Endpoint) => engine.reachableFrom(end)],
    ["ingress", (engine: Engine, end: Endpoint) => engine.reaching(end)],
  ] as const)("are those that the literal evaluator reports, each once (%s)", (direction, ask) => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 6, maxReplicas: 2 }), (scenario) => {
        const state = stateIn(scenario);
        const engine = compile(state.cluster, state.tiers);
        for (const end of [...insideEnds(state).values(), ...outsideEnds])
          expect([formatEndpoint(end), ...said(engine, ask(engine, end)!)]).toEqual([
            formatEndpoint(end),
            ...byEvaluation(state, end, direction),
          ]);
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  it("are not reported for a pod that the cluster does not have", () => {
    const engine = compile(
      stateIn({ cluster: empty, policies: [], facts: {}, questions: [] }).cluster,
      noTiers,
    );
    const pod = { namespace: "a", name: "b", labels: {}, addresses: [], hostNetwork: false, ports: [] };
    const end: Endpoint = {
      kind: "pod",
      pod: { ...pod, serviceAccount: "default", hostAddresses: [] },
      namespace: { name: "a", labels: {} },
    };
    expect([engine.reachableFrom(end), engine.reaching(end)]).toEqual([undefined, undefined]);
  });
});

const empty = { namespaces: {}, pods: [], nodes: [], extras: [] };
const noTiers = { egress: [], ingress: [] };
