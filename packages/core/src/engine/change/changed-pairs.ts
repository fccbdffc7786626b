import type { Pod } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { AnswerId, Answers } from "../compile/answers.js";
import type { ChangedBlock, ChangedSide } from "./changed-block.js";
import type { EndClass, Member } from "../classes/ends.js";
import { type Nearness, nearnessOfNodes } from "../compile/layer.js";
import type { AddressRange, OutsideRuns } from "../pairs/outside-runs.js";
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

export const wholeClass = (end: EndClass): End => ({
  kind: "ends",
  members: () => [...end.pods, ...end.nodes],
  group: end,
});

/** Without pods that are spoken of one by one. */
export const classWithout = ({ pods, nodes }: EndClass, single: ReadonlySet<Pod>): End => ({
  kind: "ends",
  members: () => [...pods.filter((pod) => !single.has(pod)), ...nodes],
  group: {},
});

export const justThese = (members: readonly Member[], group: object = members): End => ({
  kind: "ends",
  members: () => members,
  group,
});

export function nodeNameOf(end: Member | AddressRange): string | undefined {
  if ("hostNetwork" in end) return end.node;
  return "name" in end ? end.name : undefined;
}

/** What changes between one end and external addresses. */
export function addOutside(changes: ChangesOf, before: OutsideRuns, after: OutsideRuns): void {
  let [i, j] = [0, 0];
  let first = 0n;
  // Both go through all addresses of the family: the next border is that of either.
  while (i < before.runs.length && j < after.runs.length) {
    const [was, is] = [before.runs[i]!, after.runs[j]!];
    const last = was.range.last < is.range.last ? was.range.last : is.range.last;
    const range: AddressRange = { family: is.range.family, first, last };
    changes.add(was.answer, is.answer, () => ({ kind: "external", range }));
    if (was.range.last === last) i++;
    if (is.range.last === last) j++;
    first = last + 1n;
  }
}

/** What changes in one way between one end and others. */
interface ChangeOf {
  readonly before: AnswerId;
  readonly after: AnswerId;
  readonly nearness: Nearness | undefined;
  readonly others: End[];
}

/** Collects what changes between one end and others, by what it was and what it is. */
export class ChangesOf {
  private readonly found: ChangeOf[] = [];
  /** The same by what it was: there are few ways from there. */
  private readonly from = new Map<AnswerId, ChangeOf[]>();

  constructor(
    private readonly one: End,
    private readonly direction: "from" | "to",
    private readonly family: Family | undefined,
    private readonly answers: Answers,
  ) {}

  add(before: AnswerId, after: AnswerId, other: () => End, nearness?: Nearness): void {
    if (before !== after) this.change(before, after, nearness).others.push(other());
  }

  private change(before: AnswerId, after: AnswerId, nearness: Nearness | undefined): ChangeOf {
    const ways = this.from.get(before) ?? [];
    for (const way of ways) if (way.after === after && way.nearness === nearness) return way;
    const made: ChangeOf = { before, after, nearness, others: [] };
    this.found.push(made);
    ways.push(made);
    this.from.set(before, ways);
    return made;
  }

  *all(): Iterable<ChangedPairs> {
    const { family, one, answers } = this;
    const portsOf = (id: AnswerId): Ports => ({
      allowed: answers.allowed(id),
      undecided: answers.undecided(id),
    });
    for (const { others, nearness, before, after } of this.found) {
      const ends = this.direction === "from" ? { from: [one], to: others } : { from: others, to: [one] };
      yield {
        ...ends,
        family,
        nearness,
        before: portsOf(before),
        after: portsOf(after),
        pairs: () => pairsOf(ends.from, ends.to, nearness),
      };
    }
  }
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
      : side.groups.map((group) =>
          justThese(
            group.classes.flatMap(({ membersAfter }) => membersAfter),
            group,
          ),
        );
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
