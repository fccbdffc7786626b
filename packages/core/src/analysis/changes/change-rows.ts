import { getOrInsert } from "../../collections/maps.js";
import {
  type AddressRange,
  type ChangedPart,
  type ChangedParts,
  type DecidedChange,
  type DecidedDirection,
  type DirectionExplanation,
  type JointClass,
  type Pair,
  realPorts,
} from "../../engine/index.js";
import { PairMemo } from "../../sets/pair-memo.js";
import type { PortSetId } from "../../sets/port-sets.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import { type PortGroup, portGroups } from "../matrix/port-groups.js";
import { flowBetween, likelyPort } from "../endpoints/example-flow.js";
import type { Grain, Party } from "../endpoints/party.js";
import type { ChangeRow, ChangedEndpoints } from "./changes.js";
import { isEveryAddress, joinRanges } from "./join-ranges.js";
import { type PairShare, pairBetween, sharesOf } from "./part-shares.js";
import { PartiesInBoth } from "./parties-in-both.js";
import { rectangles } from "./rectangles.js";
import { Totals } from "./totals.js";

/** What connections have in common, except for their endpoints. */
interface Alike {
  readonly change: DecidedChange;
  readonly decided: readonly DecidedDirection[];
  readonly family: Family | undefined;
  readonly outside: "from" | "to" | undefined;
  /** By party: the one that connections come from, or the one that is not outside. */
  readonly partners: Map<number, Partners>;
}

/** The other ends of one party's connections: parties, or addresses outside. */
interface Partners {
  /** With how many connections. */
  readonly parties: Map<number, number>;
  readonly ranges: AddressRange[];
  /** Of which the connections to the outside are counted. */
  readonly classes: Map<JointClass, number>;
  readonly example: () => Pair;
}

/** Puts changed connections together by party, ports, and who decides. */
export class ChangeRows {
  private readonly inBoth: PartiesInBoth;
  private readonly alike: Alike[] = [];
  private readonly pairs = {
    explanations: pairNumbers(),
    decisions: pairNumbers(),
    kinds: pairNumbers(),
    keys: pairNumbers(),
  };
  private readonly numbers = new Map<DirectionExplanation, number>();
  private readonly counted: Totals;
  private readonly groups = new Map<PortSetId, readonly PortGroup[]>();

  constructor(
    private readonly changed: ChangedParts,
    grain: Grain,
  ) {
    this.inBoth = new PartiesInBoth(changed.difference.ends, grain);
    this.counted = new Totals(this.parties);
  }

  get parties(): readonly Party[] {
    return this.inBoth.list;
  }

  totals(): ReturnType<Totals["all"]> {
    return this.counted.all();
  }

  add(part: ChangedPart): void {
    const shares = sharesOf(part, this.inBoth);
    for (const verdict of new Set(part.changes.map(({ after }) => after)))
      this.counted.add(verdict, part, shares);
    for (const change of part.changes) {
      const alike = this.alikeTo(part, change);
      for (const share of shares) this.addShare(alike, part, share);
    }
  }

  private addShare(alike: Alike, part: ChangedPart, share: PairShare): void {
    const { from, to, connections } = share;
    const [party, other] = alike.outside === "from" ? [to!, from] : [from!, to];
    const partners = getOrInsert(alike.partners, party, () => {
      const example = () => pairBetween(part, share, this.inBoth.ends, this.inBoth);
      return { parties: new Map(), ranges: [], classes: new Map(), example };
    });
    if (other !== undefined) {
      partners.parties.set(other, (partners.parties.get(other) ?? 0) + connections);
      return;
    }
    const [inside, outside] = alike.outside === "from" ? [part.to, part.from] : [part.from, part.to];
    if (inside.kind === "class") partners.classes.set(inside.joint, connections);
    if (outside.kind === "external") partners.ranges.push(outside.range);
  }

  private alikeTo({ family, from, to }: ChangedPart, change: DecidedChange): Alike {
    const decided = directionsOf(change);
    const outside = from.kind === "external" ? "from" : to.kind === "external" ? "to" : undefined;
    // There are millions of changes, and few ways in which they are alike: numbers are found faster than texts.
    const { explanations, decisions, kinds, keys } = this.pairs;
    const saidIn = (wanted: Direction) => {
      const one = decided.find(({ direction }) => direction === wanted);
      return one === undefined ? 0 : explanations.of(this.numberOf(one.before), this.numberOf(one.after));
    };
    const who = decisions.of(saidIn("egress"), saidIn("ingress"));
    const verdicts = numberOfVerdict[change.before] * 3 + numberOfVerdict[change.after];
    const sort = (verdicts * 3 + numberOfSide[outside ?? "none"]) * 7 + (family ?? 0);
    const kind = kinds.of(sort, who);
    const key = keys.of(kind, change.ports);
    return (this.alike[key] ??= { change, decided, family, outside, partners: new Map() });
  }

  private numberOf(said: DirectionExplanation): number {
    return getOrInsert(this.numbers, said, () => this.numbers.size);
  }

  /** Most connections first. */
  all(): readonly ChangeRow[] {
    const rows = this.alike.flatMap((alike) =>
      alike.outside === undefined ? this.insideRows(alike) : this.outsideRows(alike, alike.outside),
    );
    return acrossFamilies(rows, (said) => this.numberOf(said)).toSorted(
      (a, b) => b.connections - a.connections || outsideLast(a) - outsideLast(b),
    );
  }

  private insideRows(alike: Alike): readonly ChangeRow[] {
    const { sizes } = this.inBoth;
    const targets = new Map(
      Array.from(alike.partners, ([party, { parties }]) => [party, new Set(parties.keys())]),
    );
    return rectangles(targets, (party) => sizes[party] === 1).map(({ sources, targets: to }) => {
      let [connections, possible] = [0, 0];
      for (const source of sources)
        for (const target of to) {
          connections += alike.partners.get(source)!.parties.get(target) ?? 0;
          possible += sizes[source]! * (sizes[target]! - (source === target ? 1 : 0));
        }
      const ends = { from: this.partiesOf(sources), to: this.partiesOf(to) };
      return this.row(alike, ends, connections, connections < possible, sources[0]!);
    });
  }

  private outsideRows(alike: Alike, side: "from" | "to"): readonly ChangeRow[] {
    const byRanges = new Map<string, { parties: number[]; ranges: readonly AddressRange[] }>();
    for (const [party, partners] of alike.partners) {
      const ranges = joinRanges(partners.ranges);
      const key = ranges.map(({ first, last }) => `${first}-${last}`).join();
      getOrInsert(byRanges, key, () => ({ parties: [], ranges })).parties.push(party);
    }
    return Array.from(byRanges.values(), ({ parties, ranges }) => {
      let [connections, possible] = [0, 0];
      for (const party of parties) {
        for (const size of alike.partners.get(party)!.classes.values()) connections += size;
        possible += this.inBoth.sizes[party]!;
      }
      const outside: ChangedEndpoints = { kind: "external", ranges };
      const inside = this.partiesOf(parties.toSorted((a, b) => a - b));
      const ends = side === "from" ? { from: outside, to: inside } : { from: inside, to: outside };
      return this.row(alike, ends, connections, connections < possible, parties[0]!);
    });
  }

  private row(
    { change, decided, family, partners }: Alike,
    ends: Pick<ChangeRow, "from" | "to">,
    connections: number,
    partly: boolean,
    first: number,
  ): ChangeRow {
    const { source, destination } = partners.get(first)!.example();
    const { before, after, ports } = change;
    const port = likelyPort(this.changed.ports, ports, destination.after);
    return {
      ...ends,
      ports: this.portsOf(ports),
      before,
      after,
      decided,
      families: [family],
      connections,
      partly,
      example: flowBetween(source.after, destination.after, port, family),
    };
  }

  private partiesOf(numbers: readonly number[]): ChangedEndpoints {
    return { kind: "parties", parties: numbers.map((number) => this.parties[number]!) };
  }

  private portsOf(id: PortSetId): readonly PortGroup[] {
    const { ports } = this.changed;
    return getOrInsert(this.groups, id, () => portGroups(ports, id, realPorts(ports)));
  }
}

/** Numbers pairs of numbers, each pair once: 1, 2, 3 and so on. */
function pairNumbers(): PairMemo {
  let count = 0;
  return new PairMemo(() => ++count);
}

const numberOfVerdict: Readonly<Record<Verdict, number>> = { Allow: 0, Deny: 1, Undecided: 2 };
const numberOfSide = { none: 0, from: 1, to: 2 } as const;

const outsideLast = ({ from, to }: ChangeRow): number =>
  from.kind === "external" || to.kind === "external" ? 1 : 0;

/** The directions whose verdict changed; both directions if only their combination explains the change. */
function directionsOf({ decided }: DecidedChange): readonly DecidedDirection[] {
  if (decided.length < 2) return decided;
  const changed = decided.filter(({ before, after }) => before.verdict !== after.verdict);
  return changed.length > 0 ? changed : decided;
}

/** Reports a change that is the same for IPv4 and IPv6 only once. */
function acrossFamilies(
  rows: readonly ChangeRow[],
  numberOf: (said: DirectionExplanation) => number,
): readonly ChangeRow[] {
  if (new Set(rows.flatMap(({ families }) => families)).size < 2) return rows;
  const partyNumbers = new Map<Party, number>();
  const numberOfParty = (party: Party) => getOrInsert(partyNumbers, party, () => partyNumbers.size);
  const endsKey = (ends: ChangedEndpoints) =>
    ends.kind === "parties"
      ? ends.parties.map(numberOfParty).join()
      : ends.ranges.map((range) => (isEveryAddress(range) ? "all" : rangeKey(range))).join();
  const found = new Map<string, ChangeRow>();
  for (const row of rows) {
    const who = row.decided.map(({ before, after }) => `${numberOf(before)} ${numberOf(after)}`).join();
    const key = [row.before, row.after, who, JSON.stringify(row.ports), endsKey(row.from), endsKey(row.to)];
    const known = found.get(key.join(" / "));
    found.set(key.join(" / "), known === undefined ? row : joined(known, row));
  }
  return [...found.values()];
}

const rangeKey = ({ family, first, last }: AddressRange): string => `${family} ${first} ${last}`;

const joined = (a: ChangeRow, b: ChangeRow): ChangeRow => ({
  ...a,
  from: joinedEnds(a.from, b.from),
  to: joinedEnds(a.to, b.to),
  families: [...a.families, ...b.families],
  connections: a.connections + b.connections,
  partly: a.partly || b.partly,
});

const joinedEnds = (a: ChangedEndpoints, b: ChangedEndpoints): ChangedEndpoints =>
  a.kind === "external" && b.kind === "external"
    ? { kind: "external", ranges: joinRanges([...a.ranges, ...b.ranges]) }
    : a;
