import type { Address, Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import {
  type ChangedBlock,
  type ChangedPorts,
  type ChangedSide,
  changedPorts,
  isSameEnd,
  type Pair,
} from "./changed-block.js";
import { type DecidedChange, DecidedChanges, type Walks, type When } from "./decided-changes.js";
import { type Difference, diffEngines } from "./diff.js";
import type { EndClass } from "../classes/ends.js";
import type { Compared, JointClass } from "./ends-in-both.js";
import type { Nearness, Other } from "../compile/layer.js";
import { cutRange, outsideRules } from "../pairs/outside-cuts.js";
import type { AddressRange } from "../pairs/outside-runs.js";
import type { PortSets } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";
import { Translation } from "./translation.js";

/** One side of changed connections to which the same rules apply: endpoints of one class, or a range of addresses. */
export type PartSide = ClassSide | ExternalSide;

export interface ClassSide {
  readonly kind: "class";
  readonly joint: JointClass;
}

export interface ExternalSide {
  readonly kind: "external";
  readonly range: AddressRange;
}

/** Connections whose verdicts changed in the same way and because of the same rules. */
export interface ChangedPart {
  /** The address family of the connections, if the endpoints determine it (S1.15). */
  readonly family: Family | undefined;
  readonly from: PartSide;
  readonly to: PartSide;
  /** Which pairs of the two sides: all of different ends, or fewer. */
  readonly meant: "all" | ((pair: Pair) => boolean);
  readonly changes: readonly DecidedChange[];
}

/** What is different between two engines, and who decides: exactly, for every pair and port. */
export class ChangedParts implements Iterable<ChangedPart> {
  readonly difference: Difference;
  private readonly decided: DecidedChanges;
  private readonly engines: Readonly<Record<When, Compared>>;

  constructor(
    before: Compared,
    after: Compared,
    /** Whether the caller needs this part. Other parts are skipped before their deciding rules are computed. */
    private readonly isWanted: (from: PartSide, to: PartSide) => boolean = () => true,
  ) {
    this.engines = { before, after };
    this.difference = diffEngines(before, after);
    this.decided = new DecidedChanges(this.engines);
  }

  /** Where the port sets of the changes are known. */
  get ports(): PortSets {
    return this.difference.ports;
  }

  *[Symbol.iterator](): Iterator<ChangedPart> {
    for (const block of this.difference) {
      const { family } = block;
      const changed = [...block.changedPorts()];
      const [sources, destinations] = [[...sidesOf(block.from)], [...sidesOf(block.to)]];
      const known = new Map<string, readonly CutRange[]>();
      for (const from of sources)
        for (const to of destinations) {
          if (!this.isWanted(from, to)) continue;
          if (from.kind === "class" && to.kind === "class") yield* this.inside(block, from, to, changed);
          else if (from.kind === "class" && to.kind === "external")
            for (const { range, changes } of this.outside(block, "egress", from, to, changed, known))
              yield { family, from, to: { kind: "external", range }, meant: "all", changes };
          else if (from.kind === "external" && to.kind === "class")
            for (const { range, changes } of this.outside(block, "ingress", to, from, changed, known))
              yield { family, from: { kind: "external", range }, to, meant: "all", changes };
        }
    }
    yield* this.amongReplicas();
  }

  /** A pod that represents all replicas of its workload also connects to other replicas. */
  private *amongReplicas(): Iterable<ChangedPart> {
    const { ends } = this.difference;
    const { before, after } = this.engines;
    const translation = new Translation(before.answers, after.answers);
    const isReplicated = ({ source, destination }: Pair) =>
      isSameEnd(source, destination) &&
      [source.before, source.after].every((end) => end.kind === "pod" && end.pod.fromTemplate === true);
    for (const joint of ends.classes) {
      const members = [...ends.membersOf(joint)].map((end) => ({ source: end, destination: end }));
      const some = members.find(isReplicated);
      if (some === undefined || joint.before.kind === "host" || joint.after.kind === "host") continue;
      for (const family of familiesOf(joint)) {
        const was = before.view(family).pairAnswer(joint.before, joint.before);
        const is = after.view(family).pairAnswer(joint.after, joint.after);
        if (translation.isSame(was, is)) continue;
        const changed = [...changedPorts(translation.of(was), is, after.answers)];
        const walks = (when: When): Walks => {
          const walk = { subject: joint[when], other: otherOf(joint[when], undefined) };
          return { egress: walk, ingress: walk };
        };
        const side: ClassSide = { kind: "class", joint };
        if (!this.isWanted(side, side)) continue;
        const changes = this.decided.of(family, changed, () => some, walks);
        yield { family, from: side, to: side, meant: isReplicated, changes };
      }
    }
  }

  private *inside(
    block: ChangedBlock,
    from: ClassSide,
    to: ClassSide,
    changed: readonly ChangedPorts[],
  ): Iterable<ChangedPart> {
    const { family, nearness } = block;
    const some = () => somePair(block, from.joint, to.joint);
    if ((from.joint === to.joint || nearness !== undefined) && some() === undefined) return;
    const walks = (when: When): Walks => {
      const [source, destination] = [from.joint[when], to.joint[when]];
      return {
        egress: { subject: source, other: otherOf(destination, nearness?.[when]) },
        ingress: { subject: destination, other: otherOf(source, nearness?.[when]) },
      };
    };
    const changes = this.decided.of(family, changed, () => some()!, walks);
    const meant = nearness === undefined ? "all" : (pair: Pair) => block.isMeant(pair);
    yield { family, from, to, meant, changes };
  }

  /** The range, split where rules distinguish its addresses. Classes with the same rows have the same parts. */
  private outside(
    { ends, family }: ChangedBlock,
    direction: Direction,
    { joint }: ClassSide,
    { range: whole }: ExternalSide,
    changed: readonly ChangedPorts[],
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
      outsideRules(views[when], direction, joint[when]),
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
      return { range, changes: this.decided.of(family, changed, () => pair, walks) };
    });
    known.set(key, found);
    return found;
  }
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

/** An example connection between the two classes; undefined if the block contains no such connection. */
function somePair(block: ChangedBlock, from: JointClass, to: JointClass): Pair | undefined {
  for (const source of block.ends.membersOf(from))
    for (const destination of block.ends.membersOf(to))
      if (block.isMeant({ source, destination })) return { source, destination };
  return undefined;
}

function familiesOf({ before, after }: JointClass): readonly (Family | undefined)[] {
  return ([4, 6, undefined] as const).filter((family) =>
    [before, after].every(({ families }) => canTalk(family, families, families)),
  );
}
