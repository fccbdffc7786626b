import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cluster } from "../cluster/model.js";
import { evaluate } from "../evaluate/evaluate.js";
import { type Endpoint, type Flow, formatEndpoint } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import { anyScenario, stateIn } from "../testing/scenario.js";
import type { Engine } from "./engine.js";
import { compile } from "./engine.js";
import type { EndGroup } from "./end-groups.js";
import type { Block } from "./blocks.js";

const ports = [
  { protocol: "TCP", port: 80 },
  { protocol: "TCP", port: 81 },
  { protocol: "UDP", port: 53 },
  { protocol: "SCTP", port: 443 },
  { protocol: "TCP", port: 65535 },
  { protocol: "ICMP", port: 0 },
] as const;

const membersOf = (cluster: Cluster, { classes }: EndGroup): readonly Endpoint[] =>
  classes.flatMap(({ pods, nodes }): readonly Endpoint[] => [
    ...pods.map((pod) => ({ kind: "pod", pod, namespace: cluster.namespaces.get(pod.namespace)! }) as const),
    ...nodes.map((node) => ({ kind: "node", node }) as const),
  ]);

const nodeOf = (end: Endpoint) =>
  end.kind === "pod" ? end.pod.node : end.kind === "node" ? end.node.name : "";

function isMeant({ nearness }: Block, a: Endpoint, b: Endpoint): boolean {
  const known = nodeOf(a) !== undefined && nodeOf(b) !== undefined;
  switch (nearness) {
    case undefined:
      return true;
    case "own-node":
      return known && nodeOf(a) === nodeOf(b);
    case "other-node":
      return known && nodeOf(a) !== nodeOf(b);
    case "unknown-node":
      return !known;
  }
}

/** Every pair by itself, with the verdict for each of the ports. */
function expand(
  engine: Engine,
): ReadonlyMap<
  string,
  { readonly pair: Pick<Flow, "source" | "destination" | "family">; readonly said: readonly string[] }
> {
  const all = new Map<
    string,
    { pair: Pick<Flow, "source" | "destination" | "family">; said: readonly string[] }
  >();
  for (const block of engine.pairs()) {
    let count = 0;
    const said = ports.map(({ protocol, port }) =>
      engine.ports.contains(block.allowed, protocol, port)
        ? "Allow"
        : engine.ports.contains(block.undecided, protocol, port)
          ? "Undecided"
          : "Deny",
    );
    for (const source of membersOf(engine.cluster, block.from))
      for (const destination of block.to.flatMap((group) => membersOf(engine.cluster, group))) {
        if (formatEndpoint(source) === formatEndpoint(destination)) continue;
        if (!isMeant(block, source, destination)) continue;
        count++;
        const key = `${formatEndpoint(source)} -> ${formatEndpoint(destination)} IPv${block.family ?? "?"}`;
        expect(all.has(key), `${key} twice`).toBe(false);
        all.set(key, {
          pair: { source, destination, ...(block.family === undefined ? {} : { family: block.family }) },
          said,
        });
      }
    expect(block.count).toBe(count);
  }
  return all;
}

describe("all pairs", () => {
  it("are those of the literal evaluator, each once", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 8 }), (scenario) => {
        const { cluster, tiers } = stateIn(scenario);
        const engine = compile(cluster, tiers);
        const all = expand(engine);
        for (const [key, { pair, said }] of all)
          expect([key, ...said]).toEqual([
            key,
            ...ports.map((port) => evaluate(cluster, tiers, { ...pair, ...port }).verdict),
          ]);
        const families = (end: Endpoint): readonly (Family | undefined)[] => {
          const addresses =
            end.kind === "node"
              ? end.node.addresses
              : end.kind === "pod"
                ? end.pod.addresses.length > 0
                  ? end.pod.addresses
                  : end.pod.hostNetwork
                    ? (cluster.nodes.get(end.pod.node ?? "")?.addresses ?? [])
                    : cluster.facts.podCidrs
                : [end.address];
          return [...new Set(addresses.map((a) => a.family))];
        };
        const ends: readonly Endpoint[] = [
          ...[...cluster.pods.values()].map(
            (pod) => ({ kind: "pod", pod, namespace: cluster.namespaces.get(pod.namespace)! }) as const,
          ),
          ...[...cluster.nodes.values()].map((node) => ({ kind: "node", node }) as const),
        ];
        let expected = 0;
        for (const a of ends)
          for (const b of ends) {
            if (a === b) continue;
            const [x, y] = [families(a), families(b)];
            expected +=
              x.length === 0 && y.length === 0
                ? 1
                : x.length === 0
                  ? y.length
                  : y.length === 0
                    ? x.length
                    : x.filter((f) => y.includes(f)).length;
          }
        expect(all.size).toBe(expected);
      }),
      { numRuns: Number(process.env.RUNS ?? 100) },
    );
  });
});
