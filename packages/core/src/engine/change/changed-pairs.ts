import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { AnswerId, Answers } from "../compile/answers.js";
import type { ChangedBlock, ChangedSide } from "./changed-block.js";
import type { Member } from "../classes/ends.js";
import { type Nearness, nearnessOfNodes } from "../compile/layer.js";
import type { AddressRange } from "../pairs/outside-runs.js";
import type { PortSetId } from "../../sets/port-sets.js";

/** Pairs whose answer is another one now: each of `from` with each of `to`, except with itself. */
export interface ChangedPairs {
  readonly from: readonly End[];
  readonly to: readonly End[];
  /** The address family of the connections, where the ends tell (S1.15). */
  readonly family: Family | undefined;
  /** Where one end is a host and the other a pod: which of their pairs are meant (S1.6). */
  readonly nearness: Nearness | undefined;
  readonly before: Ports;
  readonly after: Ports;
  /** One by one, for those who want them all. */
  readonly pairs: () => Iterable<ChangedPair>;
}

export interface ChangedPair {
  readonly from: Member | AddressRange;
  readonly to: Member | AddressRange;
}

/** Some pods and hosts, or external addresses. */
export type End =
  | {
      readonly kind: "ends";
      readonly members: () => readonly Member[];
      /** One object wherever the same members are meant, so that what is found out about them can be kept. */
      readonly group: object;
    }
  | { readonly kind: "external"; readonly range: AddressRange };

export interface Ports {
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;
}

export function nodeNameOf(end: Member | AddressRange): string | undefined {
  if ("hostNetwork" in end) return end.node;
  return "name" in end ? end.name : undefined;
}

function* pairsOf(
  from: readonly End[],
  to: readonly End[],
  nearness: Nearness | undefined,
): Iterable<ChangedPair> {
  for (const source of from.flatMap(membersOf))
    for (const destination of to.flatMap(membersOf))
      if (
        source !== destination &&
        (nearness === undefined || nearness === nearnessOfMembers(source, destination))
      )
        yield { from: source, to: destination };
}

const membersOf = (end: End): readonly (Member | AddressRange)[] =>
  end.kind === "external" ? [end.range] : end.members();

export const nearnessOfMembers = (a: Member | AddressRange, b: Member | AddressRange): Nearness =>
  nearnessOfNodes(nodeNameOf(a), nodeNameOf(b));

/** A difference of two engines that know port sets by the same numbers. */
export function asChangedPairs(block: ChangedBlock, known: Answers): ChangedPairs {
  const endsOf = (side: ChangedSide): readonly End[] =>
    side.kind === "external"
      ? side.ranges.map((range) => ({ kind: "external", range }))
      : side.groups.map((group) => ({
          kind: "ends",
          members: () => group.classes.flatMap(({ membersAfter }) => membersAfter),
          group,
        }));
  const portsOf = (id: AnswerId): Ports => ({ allowed: known.allowed(id), undecided: known.undecided(id) });
  const { from, to, family, nearness, answers } = block;
  const [sources, destinations] = [endsOf(from), endsOf(to)];
  const isInside = from.kind === "ends" && to.kind === "ends";
  return {
    from: sources,
    to: destinations,
    family,
    nearness: nearness?.after,
    before: portsOf(answers.before),
    after: portsOf(answers.after),
    pairs: () => (isInside ? pairsOfBlock(block) : pairsOf(sources, destinations, undefined)),
  };
}

function* pairsOfBlock(block: ChangedBlock): Iterable<ChangedPair> {
  for (const { source, destination } of block.pairs()) {
    const [from, to] = [memberOf(source.after), memberOf(destination.after)];
    if (from !== undefined && to !== undefined) yield { from, to };
  }
}

const memberOf = (end: Endpoint): Member | undefined =>
  end.kind === "pod" ? end.pod : end.kind === "node" ? end.node : undefined;
