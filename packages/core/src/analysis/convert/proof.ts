import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Cluster } from "../../cluster/model.js";
import {
  type ChangedBlock,
  compile,
  diffEngines,
  type FlowExplanation,
  type Pair,
} from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Family } from "../../net/address.js";
import { singleAddress } from "../../net/cidr.js";
import { type Region, regionOfCidrs, regionOfRanges, subtract } from "../../net/region.js";
import { compareEverywhere, type Equality } from "../../prove/same/index.js";
import type { Budget } from "../../prove/sat/index.js";
import type { State } from "../../state/state.js";

/** Whether two states give every connection the same verdict, in the cluster of the input and in every other. */
export interface Proof {
  /** Without pods there is nothing to compare in this cluster. */
  readonly pods: number;
  /** The number of endpoint pairs with ports whose verdict changes. */
  readonly changedPairs: number;
  /** The ports of all of them. */
  readonly changedPorts: PortSetId;
  /** The first of them; pairs that differ alike are one. */
  readonly examples: readonly ChangedExample[];
  /** Where the port sets of the examples are known. */
  readonly ports: PortSets;
  /** Whether it is so in every cluster; absent where it is not so in this one. */
  readonly everywhere?: Equality;
}

export interface ChangedExample {
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly family: Family | undefined;
  readonly ports: PortSetId;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly decidedBefore: FlowExplanation;
  readonly decidedAfter: FlowExplanation;
  /** How many pairs differ as this one does. */
  readonly pairs: number;
}

const mostExamples = 20;

export function proveConversion(before: State, after: State, budget: Budget = {}): Proof {
  const here = compareHere(before, after);
  return here.changedPairs > 0 ? here : { ...here, everywhere: compareEverywhere(before, after, budget) };
}

/** In the cluster of the input, external addresses included. */
export function compareHere(before: State, after: State): Proof {
  const difference = diffEngines(compile(before.cluster, before.tiers), compile(after.cluster, after.tiers));
  const taken = takenAddresses(before.cluster);
  const examples: ChangedExample[] = [];
  let changedPairs = 0;
  let changedPorts = noPorts;
  for (const block of difference) {
    const found = realPairs(block, taken);
    const changed = [...block.changedPorts()];
    if (found === undefined || changed.length === 0) continue;
    changedPairs += found.count;
    for (const [, , ports] of changed) changedPorts = difference.ports.union(changedPorts, ports);
    if (examples.length >= mostExamples) continue;
    const { source, destination } = found.sample;
    for (const change of block.changesOf(found.sample))
      examples.push({
        ...change,
        source: source.after,
        destination: destination.after,
        family: block.family,
        pairs: found.count,
      });
  }
  const { ports } = difference;
  return { pods: before.cluster.pods.size, changedPairs, changedPorts, examples, ports };
}

type Taken = Readonly<Record<Family, Region>>;

/** S1.9: an address of a pod, a node or a Service is not an external one, whatever range it is in. */
function takenAddresses({ pods, nodes, services, facts }: Cluster): Taken {
  const addresses = [...pods.values(), ...nodes.values(), ...services].flatMap((end) => end.addresses);
  const cidrs = [...addresses.map(singleAddress), ...facts.podCidrs, ...facts.serviceCidrs];
  return { 4: regionOfCidrs(4, cidrs), 6: regionOfCidrs(6, cidrs) };
}

/** The pairs of a block that there can be, and one of them. */
function realPairs(
  block: ChangedBlock,
  taken: Taken,
): { readonly count: number; readonly sample: Pair } | undefined {
  const [sample] = block.pairs();
  if (sample === undefined) return undefined;
  const side = block.from.kind === "external" ? block.from : block.to;
  if (side.kind !== "external") return { count: block.count, sample };
  const { family } = side.ranges[0]!;
  const ranges = side.ranges.map(({ first, last }) => [first, last] as const);
  const free = subtract(regionOfRanges(family, ranges), taken[family]);
  const [first] = free.ranges;
  if (first === undefined) return undefined;
  const address = { kind: "external", address: { family, value: first[0] } } as const;
  const outside = { before: address, after: address };
  const end = block.from.kind === "external" ? "source" : "destination";
  return { count: block.count, sample: { ...sample, [end]: outside } };
}

/** In this cluster: without pods nothing was compared there, whatever holds of every cluster. */
export const isProven = ({ pods, changedPairs }: Proof): boolean => pods > 0 && changedPairs === 0;
