import type { AskedPort, AskedPair } from "../src/analysis/explain/ask.js";
import { podEndpoint } from "../src/analysis/endpoints/resolve.js";
import type { Cluster } from "../src/cluster/model.js";
import type { Block, EndGroup, Engine } from "../src/engine/index.js";
import type { Verdict } from "../src/evaluate/evaluate.js";
import { type Endpoint, formatEndpoint } from "../src/evaluate/flow.js";

/** The engine's answer for all pairs, one by one again. */
export interface ExpandedPairs {
  readonly size: number;
  /** Undefined for a pair that is not among them. */
  readonly verdict: (pair: AskedPair, port: AskedPort) => Verdict | undefined;
  /** Duplicate pairs, and blocks that are miscounted. */
  readonly complaints: readonly string[];
}

/** Of the blocks `found`, however they were requested. */
export function expandPairs(engine: Engine, found: Iterable<Block> = engine.pairs()): ExpandedPairs {
  const blocks = new Map<string, Block>();
  const complaints: string[] = [];
  for (const block of found) {
    const pairs = pairsOf(engine.cluster, block);
    if (pairs.length !== block.count) complaints.push(`${block.count} pairs, but these: ${pairs.join("; ")}`);
    for (const pair of pairs) {
      if (blocks.has(pair)) complaints.push(`${pair} twice`);
      blocks.set(pair, block);
    }
  }
  return {
    size: blocks.size,
    complaints,
    verdict: ({ source, destination, family }, { protocol, port }) => {
      const block = blocks.get(nameOf(source, destination, family));
      if (block === undefined) return undefined;
      if (engine.ports.contains(block.allowed, protocol, port)) return "Allow";
      return engine.ports.contains(block.undecided, protocol, port) ? "Undecided" : "Deny";
    },
  };
}

const nameOf = (source: Endpoint, destination: Endpoint, family: AskedPair["family"]): string =>
  `${formatEndpoint(source)} -> ${formatEndpoint(destination)}, IPv${family ?? "?"}`;

function pairsOf(cluster: Cluster, block: Block): readonly string[] {
  const destinations = block.to.flatMap((group) => endsOf(cluster, group));
  return endsOf(cluster, block.from).flatMap((source) =>
    destinations
      .filter((destination) => formatEndpoint(source) !== formatEndpoint(destination))
      .filter((destination) => isMeant(block, source, destination))
      .map((destination) => nameOf(source, destination, block.family)),
  );
}

function endsOf(cluster: Cluster, { classes }: EndGroup): readonly Endpoint[] {
  return classes.flatMap(({ pods, nodes }): readonly Endpoint[] => [
    ...pods.map((pod) => podEndpoint(cluster, pod)),
    ...nodes.map((node) => ({ kind: "node", node }) as const),
  ]);
}

// S1.6
function isMeant({ nearness }: Block, source: Endpoint, destination: Endpoint): boolean {
  const [a, b] = [nodeOf(source), nodeOf(destination)];
  const isKnown = a !== undefined && b !== undefined;
  switch (nearness) {
    case undefined:
      return true;
    case "own-node":
      return isKnown && a === b;
    case "other-node":
      return isKnown && a !== b;
    case "unknown-node":
      return !isKnown;
  }
}

function nodeOf(end: Endpoint): string | undefined {
  return end.kind === "pod" ? end.pod.node : end.kind === "node" ? end.node.name : undefined;
}
