import { getOrInsert } from "../../collections/maps.js";
import type { ChangedPart, EndInBoth, EndsInBoth, Pair, PartSide } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { externalAt } from "../endpoints/example-flow.js";
import { partyOf } from "../endpoints/party.js";
import type { PartiesInBoth } from "./parties-in-both.js";

/** How many connections of a part are between two parties; undefined is what is outside. */
export interface PairShare {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly connections: number;
}

/** The connections of a part by the parties they are between. */
export function sharesOf(part: ChangedPart, parties: PartiesInBoth): readonly PairShare[] {
  const { from, to, meant } = part;
  if (from.kind === "external" || to.kind === "external") return withOutside(from, to, parties);
  if (meant !== "all") return counted(part, parties);
  const found: PairShare[] = [];
  for (const source of parties.of(from.joint))
    for (const destination of parties.of(to.joint)) {
      const own = from.joint === to.joint && source.party === destination.party ? source.size : 0;
      const connections = source.size * destination.size - own;
      if (connections > 0) found.push({ from: source.party, to: destination.party, connections });
    }
  return found;
}

function withOutside(from: PartSide, to: PartSide, parties: PartiesInBoth): readonly PairShare[] {
  const sharesOfSide = (side: PartSide) =>
    side.kind === "class" ? parties.of(side.joint) : [{ party: undefined, size: 1 }];
  return sharesOfSide(from).flatMap((source) =>
    sharesOfSide(to).map((destination) => ({
      from: source.party,
      to: destination.party,
      connections: source.size * destination.size,
    })),
  );
}

/** One by one, where not all pairs are meant. */
function counted(part: ChangedPart, parties: PartiesInBoth): readonly PairShare[] {
  const found = new Map<string, { from: number; to: number; connections: number }>();
  for (const { source, destination } of pairsOf(part, parties.ends)) {
    const [from, to] = [numberOf(source, parties), numberOf(destination, parties)];
    const known = getOrInsert(found, `${from} ${to}`, () => ({ from, to, connections: 0 }));
    known.connections++;
  }
  return [...found.values()];
}

function numberOf({ after }: EndInBoth, parties: PartiesInBoth): number {
  return parties.numberOf(partyOf(after as Exclude<Endpoint, { kind: "external" }>, parties.grain));
}

/** All pairs of a part; of a range of addresses, the first. */
export function* pairsOf(part: ChangedPart, ends: EndsInBoth): Iterable<Pair> {
  const { from, to, meant } = part;
  for (const source of endsOf(from, ends))
    for (const destination of endsOf(to, ends)) {
      const pair = { source, destination };
      if (meant === "all" ? !isSame(pair) : meant(pair)) yield pair;
    }
}

/** A pair of a part between two parties. */
export function pairBetween(
  part: ChangedPart,
  share: PairShare,
  ends: EndsInBoth,
  parties: PartiesInBoth,
): Pair {
  const belongs = (end: EndInBoth, party: number | undefined) =>
    party === undefined || numberOf(end, parties) === party;
  for (const pair of pairsOf(part, ends))
    if (belongs(pair.source, share.from) && belongs(pair.destination, share.to)) return pair;
  throw new Error("a share of a part without a pair");
}

function* endsOf(side: PartSide, ends: EndsInBoth): Iterable<EndInBoth> {
  if (side.kind === "class") yield* ends.membersOf(side.joint);
  else {
    const end = externalAt(side.range);
    yield { before: end, after: end };
  }
}

function isSame({ source: { after: a }, destination: { after: b } }: Pair): boolean {
  if (a.kind === "pod") return b.kind === "pod" && a.pod === b.pod;
  return a.kind === "node" && b.kind === "node" && a.node === b.node;
}
