import { type Address, type Family, lastOf, type Node } from "@tierwall/core/model";
import type { Blocks } from "./landmarks.js";

/*
 * S1.16: an address in the pod range of another node that no pod has may be that node's. Of this node nothing is uncertain: what is
 * for the node itself comes by another hook.
 */

/** Addresses from the first to the last, both included. */
interface NodeRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly node: Node;
}

export type NodeRanges = Readonly<Record<Family, readonly NodeRange[]>>;

/** In ascending order and without overlaps: where ranges of two nodes overlap, the one that begins first has it. */
export function nodeRangesOf(nodes: Iterable<Node>, own: string): NodeRanges {
  const ranges: Record<Family, NodeRange[]> = { 4: [], 6: [] };
  for (const node of nodes)
    if (node.name !== own)
      for (const range of node.podRanges ?? [])
        ranges[range.family].push({ first: range.first, last: lastOf(range), node });
  return { 4: withoutOverlaps(ranges[4]), 6: withoutOverlaps(ranges[6]) };
}

function withoutOverlaps(ranges: readonly NodeRange[]): readonly NodeRange[] {
  const found: NodeRange[] = [];
  let end = -1n;
  for (const range of ranges.toSorted(byPlace)) {
    const first = range.first > end ? range.first : end + 1n;
    if (first > range.last) continue;
    found.push({ ...range, first });
    end = range.last;
  }
  return found;
}

function byPlace(a: NodeRange, b: NodeRange): number {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1;
  return a.node.name < b.node.name ? -1 : 1;
}

/** Addresses that are in the same blocks, and in the pod range of one node or of none. */
export interface Segment {
  readonly first: Address;
  readonly last: bigint;
  readonly blocks: string;
  readonly node?: Node;
}

/** The whole of both families, in ascending order, IPv4 first. */
export function* segmentsOf(blocks: Blocks, ranges: NodeRanges): Iterable<Segment> {
  const { atoms } = blocks;
  const next: Record<Family, number> = { 4: 0, 6: 0 };
  for (let atom = 0; atom < atoms.count; atom++) {
    const around = blocks.aroundAtom(atom);
    const { family, value } = atoms.firstOf(atom);
    const { value: last } = atoms.lastOf(atom);
    const segment = (from: bigint, to: bigint, node?: Node): Segment => ({
      first: { family, value: from },
      last: to,
      blocks: around,
      ...(node === undefined ? {} : { node }),
    });
    let first = value;
    for (let range = ranges[family][next[family]]; range !== undefined && range.first <= last; ) {
      const from = range.first > first ? range.first : first;
      const to = range.last < last ? range.last : last;
      if (from > first) yield segment(first, from - 1n);
      yield segment(from, to, range.node);
      first = to + 1n;
      if (range.last > last) break;
      range = ranges[family][++next[family]];
    }
    if (first <= last) yield segment(first, last);
  }
}
