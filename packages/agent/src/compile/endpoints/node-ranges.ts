import { AddressAtoms } from "@tierwall/core/engine";
import type { Address, Cidr, Node } from "@tierwall/core/model";
import type { Blocks } from "./address-vocabulary.js";

/*
 * S1.16: an address in the pod range of another node that no pod has may belong to that node. For this node there is no doubt:
 * packets to the node itself arrive in another hook.
 */

/** Addresses that are in the same blocks, and in the pod range of one node or of none. */
interface Segment {
  readonly first: Address;
  readonly last: bigint;
  readonly blocks: string;
  readonly node: Node | undefined;
}

/** All addresses of both families, in ascending order, IPv4 first. `own`: the name of this node. */
export function* segmentsOf(blocks: Blocks, nodes: Iterable<Node>, own: string): Iterable<Segment> {
  const ranges = [...nodes]
    .filter(({ name }) => name !== own)
    .flatMap((node) => (node.podRanges ?? []).map((range): NodeRange => ({ range, node })))
    .toSorted(byPlace);
  const atoms = new AddressAtoms([...blocks.cidrs.values(), ...ranges.map(({ range }) => range)]);
  // If ranges of two nodes overlap, the one that begins first counts.
  const nodeAt: Node[] = [];
  for (const { range, node } of ranges) {
    const [from, to] = atoms.rangeOf(range);
    for (let atom = from; atom < to; atom++) nodeAt[atom] ??= node;
  }
  for (let atom = 0; atom < atoms.count; atom++) {
    const first = atoms.firstOf(atom);
    const last = atoms.lastOf(atom).value;
    yield { first, last, blocks: blocks.aroundAddress(first), node: nodeAt[atom] };
  }
}

interface NodeRange {
  readonly range: Cidr;
  readonly node: Node;
}

function byPlace(
  { range: a, node: { name: nameA } }: NodeRange,
  { range: b, node: { name: nameB } }: NodeRange,
) {
  if (a.first !== b.first) return a.first < b.first ? -1 : 1;
  return nameA < nameB ? -1 : 1;
}
