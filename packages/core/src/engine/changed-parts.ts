import type { Verdict } from "../evaluate/evaluate.js";
import type { Address } from "../net/address.js";
import type { Direction } from "../policy/model.js";
import type { ChangedBlock, ChangedSide, Pair } from "./changed-block.js";
import { type DecidedPorts, Deciders } from "./deciders.js";
import { type Difference, diffEngines } from "./diff.js";
import type { EndClass } from "./ends.js";
import type { Compared, JointClass } from "./ends-in-both.js";
import { type DirectionExplanation, noWalk } from "./explain-flow.js";
import type { Nearness, Other } from "./layer.js";
import { cutRange } from "./outside-cuts.js";
import type { AddressRange } from "./outside-runs.js";
import { noPorts, type PortSetId, type PortSets } from "./port-sets.js";

/** One side of changed connections whom the same rules judge: ends of one class, or a range of addresses. */
export type PartSide = ClassSide | ExternalSide;

export interface ClassSide {
  readonly kind: "class";
  readonly joint: JointClass;
}

export interface ExternalSide {
  readonly kind: "external";
  readonly range: AddressRange;
}

/** Who decides in one direction before and after. The same object wherever the same decide. */
export interface SaidInBoth {
  readonly before: DirectionExplanation;
  readonly after: DirectionExplanation;
}

/** Ports whose verdict changed from the same to the same, decided by the same. */
export interface DecidedChange extends Readonly<Record<Direction, SaidInBoth>> {
  readonly ports: PortSetId;
  readonly before: Verdict;
  readonly after: Verdict;
}

/** Pairs of ends whose verdicts changed alike, and by the same rules. */
export interface ChangedPart {
  readonly block: ChangedBlock;
  readonly from: PartSide;
  readonly to: PartSide;
  readonly changes: readonly DecidedChange[];
}

type When = "before" | "after";
type Changed = readonly [before: Verdict, after: Verdict, ports: PortSetId];

/** What is walked in one direction; nothing at an end that has no policies (S1.4). */
type Walks = Readonly<Record<Direction, { readonly subject: EndClass; readonly other: Other } | undefined>>;

/** What is different between two engines, and who decides: exactly, for every pair and port. */
export class ChangedParts implements Iterable<ChangedPart> {
  readonly difference: Difference;
  private readonly deciders = { before: new Map<unknown, Deciders>(), after: new Map<unknown, Deciders>() };
  private readonly engines: Readonly<Record<When, Compared>>;

  constructor(
    before: Compared,
    after: Compared,
    /** Whether anybody wants to know: others are left out before it is looked at who decides. */
    private readonly isWanted: (from: PartSide, to: PartSide) => boolean = () => true,
  ) {
    this.engines = { before, after };
    this.difference = diffEngines(before, after);
  }

  /** Where the port sets of the changes are known. */
  get ports(): PortSets {
    return this.difference.ports;
  }

  *[Symbol.iterator](): Iterator<ChangedPart> {
    for (const block of this.difference) {
      const changed = [...block.changedPorts()];
      const [sources, destinations] = [[...sidesOf(block.from)], [...sidesOf(block.to)]];
      const known = new Map<string, readonly CutRange[]>();
      for (const from of sources)
        for (const to of destinations) {
          if (!this.isWanted(from, to)) continue;
          if (from.kind === "class" && to.kind === "class") yield* this.inside(block, from, to, changed);
          else if (from.kind === "class" && to.kind === "external")
            for (const { range, changes } of this.outside(block, "egress", from, to, changed, known))
              yield { block, from, to: { kind: "external", range }, changes };
          else if (from.kind === "external" && to.kind === "class")
            for (const { range, changes } of this.outside(block, "ingress", to, from, changed, known))
              yield { block, from: { kind: "external", range }, to, changes };
        }
    }
  }

  private *inside(
    block: ChangedBlock,
    from: ClassSide,
    to: ClassSide,
    changed: readonly Changed[],
  ): Iterable<ChangedPart> {
    const sample = samplePair(block, from.joint, to.joint);
    if (sample === undefined) return;
    const walks = (when: When): Walks => {
      const [source, destination] = [from.joint[when], to.joint[when]];
      const nearness = block.nearness?.[when];
      return {
        egress: { subject: source, other: otherOf(destination, nearness) },
        ingress: { subject: destination, other: otherOf(source, nearness) },
      };
    };
    yield { block, from, to, changes: this.decided(block, changed, sample, walks) };
  }

  /** The range cut where rules tell its addresses apart. Classes with the same rows have the same parts. */
  private outside(
    { ends, family }: ChangedBlock,
    direction: Direction,
    { joint }: ClassSide,
    { range: whole }: ExternalSide,
    changed: readonly Changed[],
    known: Map<string, readonly CutRange[]>,
  ): readonly CutRange[] {
    const views = { before: this.engines.before.view(family), after: this.engines.after.view(family) };
    const rowsOf = (when: When) =>
      joint[when].kind === "host"
        ? "host"
        : views[when].layers[direction].map(({ rows }) => rows.rowOf[joint[when].index]).join();
    const key = `${rowsOf("before")} / ${rowsOf("after")} / ${whole.first}`;
    const alike = known.get(key);
    if (alike !== undefined) return alike;
    const [member] = ends.membersOf(joint);
    const rules = (["before", "after"] as const).map((when) =>
      views[when].outsideRules(direction, joint[when]),
    );
    const found = Array.from(cutRange(whole, rules), (range): CutRange => {
      const address: Address = { family: range.family, value: range.first };
      const end = { kind: "external", address } as const;
      const other = { before: end, after: end };
      const pair: Pair =
        direction === "egress"
          ? { source: member!, destination: other }
          : { source: other, destination: member! };
      const walks = (when: When): Walks => {
        const atom = views[when].ends.vocabulary.atoms.indexOf(address);
        const walk = { subject: joint[when], other: { kind: "external", atom } } as const;
        return direction === "egress"
          ? { egress: walk, ingress: undefined }
          : { egress: undefined, ingress: walk };
      };
      return { range, changes: this.decided({ family }, changed, pair, walks) };
    });
    known.set(key, found);
    return found;
  }

  private decided(
    { family }: Pick<ChangedBlock, "family">,
    changed: readonly Changed[],
    pair: Pair,
    walks: (when: When) => Walks,
  ): readonly DecidedChange[] {
    const [was, is] = [walks("before"), walks("after")];
    return changed.flatMap(([before, after, ports]) => {
      let parts: readonly Part[] = [{ ports, said: [] }];
      for (const direction of ["egress", "ingress"] as const) {
        parts = this.refine(parts, this.say("before", family, direction, was[direction], ports, pair));
        parts = this.refine(parts, this.say("after", family, direction, is[direction], ports, pair));
      }
      return this.merged(parts).map(({ ports: its, said: [a, b, c, d] }) => ({
        ports: its,
        before,
        after,
        egress: { before: a!, after: b! },
        ingress: { before: c!, after: d! },
      }));
    });
  }

  private say(
    when: When,
    family: ChangedBlock["family"],
    direction: Direction,
    walk: Walks[Direction],
    wanted: PortSetId,
    { source, destination }: Pair,
  ): readonly DecidedPorts[] {
    if (walk === undefined) return [{ ports: wanted, said: noWalk }];
    const engine = this.engines[when];
    let deciders = this.deciders[when].get(family);
    if (deciders === undefined) {
      deciders = new Deciders(engine.view(family), engine.cluster);
      this.deciders[when].set(family, deciders);
    }
    const ends = { source: source[when], destination: destination[when] };
    const own = engine.answers.ports;
    if (own === this.ports) return deciders.of(direction, walk.subject, walk.other, wanted, ends);
    // Two engines that were compiled apart know port sets by different numbers.
    const asked = own.import(this.ports.bordersOf(wanted));
    return deciders
      .of(direction, walk.subject, walk.other, asked, ends)
      .map(({ ports, said }) => ({ said, ports: this.ports.import(own.bordersOf(ports)) }));
  }

  private refine(parts: readonly Part[], by: readonly DecidedPorts[]): readonly Part[] {
    const [only] = by;
    if (by.length === 1) return parts.map(({ ports, said }) => ({ ports, said: [...said, only!.said] }));
    return parts.flatMap((part) =>
      by.flatMap(({ ports, said }) => {
        const common = this.ports.intersect(part.ports, ports);
        return common === noPorts ? [] : { ports: common, said: [...part.said, said] };
      }),
    );
  }

  /** A rule may decide about ports of two of its peers: it is one decider all the same. */
  private merged(parts: readonly Part[]): readonly Part[] {
    if (parts.length === 1) return parts;
    const found: Part[] = [];
    for (const part of parts) {
      const at = found.findIndex(({ said }) => said.every((one, i) => one === part.said[i]));
      if (at === -1) found.push(part);
      else found[at] = { ...part, ports: this.ports.union(found[at]!.ports, part.ports) };
    }
    return found;
  }
}

interface Part {
  readonly ports: PortSetId;
  /** Egress before and after, ingress before and after. */
  readonly said: readonly DirectionExplanation[];
}

interface CutRange {
  readonly range: AddressRange;
  readonly changes: readonly DecidedChange[];
}

function* sidesOf(side: ChangedSide): Iterable<PartSide> {
  if (side.kind === "external") for (const range of side.ranges) yield { kind: "external", range };
  else for (const { classes } of side.groups) for (const joint of classes) yield { kind: "class", joint };
}

function otherOf(end: EndClass, nearness: Nearness | undefined): Other {
  return end.kind === "pod"
    ? { kind: "pod", end }
    : { kind: "host", end, nearness: nearness ?? "other-node" };
}

/** Two ends of the classes that are meant; none where the block holds other ends of theirs only. */
function samplePair(block: ChangedBlock, from: JointClass, to: JointClass): Pair | undefined {
  for (const source of block.ends.membersOf(from))
    for (const destination of block.ends.membersOf(to))
      if (block.isMeant({ source, destination })) return { source, destination };
  return undefined;
}
