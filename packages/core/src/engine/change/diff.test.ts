import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { type Endpoint, formatEndpoint } from "../../evaluate/flow.js";
import type { Rule } from "../../policy/model.js";
import { insideEnds, outsideEnds, probedPorts } from "../../../testing/all-ends.js";
import {
  anyEdit,
  changesByEvaluation,
  flowOf,
  statesOf,
} from "../../../testing/arbitrary/edited-scenario.js";
import { about, anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { world } from "../../../testing/world.js";
import type { ChangedBlock, Pair } from "./changed-block.js";
import { type Difference, diffEngines } from "./diff.js";
import { compile, type Engine } from "../engine.js";
import { portAt } from "../../sets/port-sets.js";

// Every port of many clusters takes a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/** The pairs of a block, with the external addresses that are asked about instead of ranges. */
function expand({ from, to }: ChangedBlock, pairs: readonly Pair[]): readonly Pair[] {
  return pairs.flatMap(({ source, destination }) => {
    const sides = [source, destination].map((end, i) => {
      const side = i === 0 ? from : to;
      if (side.kind === "ends") return [end];
      const { address: first } = end.before as Extract<Endpoint, { kind: "external" }>;
      const range = side.ranges.find((r) => r.first === first.value && r.family === first.family)!;
      return outsideEnds
        .filter(
          ({ address: { family, value } }) =>
            family === range.family && value >= range.first && value <= range.last,
        )
        .map((external) => ({ before: external, after: external }));
    });
    return sides[0]!.flatMap((source) => sides[1]!.map((destination) => ({ source, destination })));
  });
}

function changesByDifference(difference: Difference): readonly string[] {
  const found: string[] = [];
  for (const block of difference) {
    const pairs = [...block.pairs()];
    expect(pairs).toHaveLength(block.count);
    for (const pair of expand(block, pairs))
      for (const { ports: changed, before, after } of block.changes)
        for (const port of probedPorts)
          if (difference.ports.contains(changed, port.protocol, port.port))
            found.push(`${about(flowOf(pair, "after", block.family, port))}: ${before} -> ${after}`);
  }
  return found.toSorted();
}

describe("the difference of two engines", () => {
  it("is the pairs and ports whose verdict changed, each once", () => {
    fc.assert(
      fc.property(anyEdit, (edited) => {
        const [before, after] = statesOf(edited);
        const difference = diffEngines(
          compile(before.cluster, before.tiers),
          compile(after.cluster, after.tiers),
        );
        expect(changesByDifference(difference)).toEqual(changesByEvaluation(before, after));
        const [was, is] = [insideEnds(before), insideEnds(after)];
        expect(difference.appeared.map(formatEndpoint)).toEqual(
          [...is.keys()].filter((name) => !was.has(name)),
        );
        expect(difference.disappeared.map(formatEndpoint)).toEqual(
          [...was.keys()].filter((name) => !is.has(name)),
        );
      }),
      { numRuns: Number(process.env.RUNS ?? 100) },
    );
  });

  it("names who decided before and after, for every port of every change", () => {
    fc.assert(
      fc.property(anyEdit, (edited) => {
        const [before, after] = statesOf(edited);
        const difference = diffEngines(
          compile(before.cluster, before.tiers),
          compile(after.cluster, after.tiers),
        );
        for (const block of difference) {
          const [pair] = block.pairs();
          for (const change of block.changes)
            for (const border of difference.ports.bordersOf(change.ports).entries()) {
              // The first and the last port of each interval.
              const point = border[0] % 2 === 0 ? border[1] : border[1] - 1;
              const flows = [
                flowOf(pair!, "before", block.family, portAt(point)),
                flowOf(pair!, "after", block.family, portAt(point)),
              ] as const;
              const literal = [
                evaluate(before.cluster, before.tiers, flows[0]),
                evaluate(after.cluster, after.tiers, flows[1]),
              ] as const;
              expect([change.before, change.after]).toEqual(literal.map(({ verdict }) => verdict));
              for (const direction of ["egress", "ingress"] as const)
                expect(
                  [change.decidedBefore, change.decidedAfter].map((said) => said[direction].deciders),
                ).toEqual(literal.map((said) => said[direction].decisions.map(({ by }) => by)));
            }
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  it("is nothing between a cluster and itself", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 6 }), (scenario) => {
        const [a, b] = [stateIn(scenario), stateIn(scenario)];
        const difference = diffEngines(compile(a.cluster, a.tiers), compile(b.cluster, b.tiers));
        expect([[...difference], difference.appeared, difference.disappeared]).toEqual([[], [], []]);
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });
});

describe("pods that move to another node", () => {
  const pod = (name: string, node: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}}, spec: {nodeName: ${node}}, status: {podIP: 10.0.0.1}}`;
  const node = (name: string, address: string) =>
    `{apiVersion: v1, kind: Node, metadata: {name: ${name}}, status: {addresses: [{type: InternalIP, address: ${address}}]}}`;
  const policy = (entity: string) => `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy,
    metadata: {namespace: a, name: out}, spec: {endpointSelector: {}, egress: [{toEntities: [${entity}]}]}}`;
  const engineOf = (...objects: readonly string[]) => {
    const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";
    const nodes = [node("n1", "192.168.0.1"), node("n2", "192.168.0.2"), node("n3", "192.168.0.3")];
    const { cluster, tiers } = world([namespace, ...nodes, ...objects].join("\n---\n")).state;
    return compile(cluster, tiers);
  };
  const before = engineOf(pod("stays", "n1"), pod("moves", "n1"), policy("host"));

  const changed = (after: Engine) =>
    Array.from(diffEngines(before, after), (block) => {
      const pairs = Array.from(block.pairs(), ({ source, destination }) =>
        [source, destination].map((end) => formatEndpoint(end.after)).join(" -> "),
      );
      expect(pairs).toHaveLength(block.count);
      return [...block.changes.map((change) => `${change.before} -> ${change.after}`), ...pairs];
    });

  it("change what they may do at the nodes they come from and go to, and nowhere else", () => {
    expect(changed(engineOf(pod("stays", "n1"), pod("moves", "n2"), policy("host")))).toEqual([
      ["Allow -> Deny", "a/moves -> node n1"],
      ["Deny -> Allow", "a/moves -> node n2"],
    ]);
  });

  it("are distinguished from those that stay when policies change as well", () => {
    const after = engineOf(pod("stays", "n1"), pod("moves", "n2"), policy("remote-node"));
    expect(changed(after)).toEqual([
      ["Allow -> Deny", "a/stays -> node n1"],
      ["Deny -> Allow", "a/stays -> node n2", "a/stays -> node n3", "a/moves -> node n3"],
    ]);
  });
});

describe("port 0", () => {
  it("is no port: rules that differ in nothing else are the same", () => {
    const { cluster, tiers } = world(
      [
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
        "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: one}}",
        "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: two}}",
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: in}, spec: {podSelector: {}, ingress: [{}]}}",
      ].join("\n---\n"),
    ).state;
    const from = (first: number) =>
      compile(cluster, {
        egress: [],
        ingress: tiers.ingress.map((tier) => ({
          ...tier,
          rules: tier.rules.map((rule): Rule => {
            return { ...rule, ports: [{ kind: "range", protocol: "TCP", first, last: 65535 }] };
          }),
        })),
      });
    expect([...diffEngines(from(1), from(0))]).toEqual([]);
    expect([...diffEngines(from(1), from(2))]).not.toEqual([]);
  });
});
