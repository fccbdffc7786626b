import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { diffEngines } from "../../engine/diff.js";
import { compile } from "../../engine/engine.js";
import type { FlowExplanation } from "../../engine/explain-flow.js";
import type { PortSetId, PortSets } from "../../engine/port-sets.js";
import type { Family } from "../../net/address.js";
import type { State } from "../state.js";

/** Whether two states give every connection the same verdict. */
export interface Proof {
  /** Without pods there is nothing to compare, and nothing is proven. */
  readonly pods: number;
  /** How many pairs of ends have ports that get another verdict. */
  readonly changedPairs: number;
  /** The first of them; pairs that differ alike are one. */
  readonly examples: readonly ChangedExample[];
  /** Where the port sets of the examples are known. */
  readonly ports: PortSets;
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

export function prove(before: State, after: State): Proof {
  const difference = diffEngines(compile(before.cluster, before.tiers), compile(after.cluster, after.tiers));
  const examples: ChangedExample[] = [];
  let changedPairs = 0;
  for (const block of difference) {
    const isChanged = [...block.changedPorts()].length > 0;
    if (!isChanged) continue;
    changedPairs += block.count;
    if (examples.length >= mostExamples) continue;
    const [pair] = block.pairs();
    if (pair === undefined) continue;
    for (const change of block.changes)
      examples.push({
        ...change,
        source: pair.source.after,
        destination: pair.destination.after,
        family: block.family,
        pairs: block.count,
      });
  }
  return { pods: before.cluster.pods.size, changedPairs, examples, ports: difference.ports };
}

export const isProven = ({ pods, changedPairs }: Proof): boolean => pods > 0 && changedPairs === 0;
