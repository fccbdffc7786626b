import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import { ChangedBlock, type ChangedSide, type NearnessInBoth } from "./changed-block.js";
import { groupEnds } from "../pairs/end-groups.js";
import type { EndClass } from "../classes/ends.js";
import {
  type Compared,
  EndsInBoth,
  groupNumbers,
  type JointClass,
  JointGroup,
  StayingClass,
  type Touched,
} from "./ends-in-both.js";
import { type Nearness, nearnessBetween } from "../compile/layer.js";
import { outsideChanges } from "./outside-diff.js";
import { readOutgoing } from "../pairs/pod-sweep.js";
import { tableSweep } from "../pairs/table-sweep.js";
import { everyPort, type PortSets } from "../../sets/port-sets.js";
import { canCompare } from "../classes/talking.js";
import { Translation } from "./translation.js";
import { OutcomeColumn, OutcomeRows } from "../compile/outcome-rows.js";
import { isSettled, type OutcomeId, uncertain } from "../walk/outcomes.js";
import type { Direction } from "../../policy/model.js";
import type { Pod } from "../../cluster/model.js";
import type { View } from "../compile/view.js";

/**
 * The difference between two engines: connections between endpoints that both engines have, and the ports whose verdict
 * changed. Valid until one of the engines is updated.
 */
export function diffEngines(before: Compared, after: Compared): Difference {
  return new Difference(EndsInBoth.of(before, after));
}

export class Difference implements Iterable<ChangedBlock> {
  readonly appeared: EndsInBoth["appeared"];
  readonly disappeared: EndsInBoth["disappeared"];
  /** Where the port sets of the blocks are known. */
  readonly ports: PortSets;

  constructor(
    readonly ends: EndsInBoth,
    /** An update compares only what it touched. */
    private readonly touched?: Touched,
  ) {
    this.appeared = ends.appeared;
    this.disappeared = ends.disappeared;
    this.ports = ends.after.answers.ports;
  }

  *[Symbol.iterator](): Iterator<ChangedBlock> {
    const { ends, touched } = this;
    const { before, after } = ends;
    const translation = new Translation(before.answers, after.answers);
    for (const family of [4, 6, undefined] as const) {
      if (before.isSpoken(family) || after.isSpoken(family)) {
        const inside = new InsideDiff(ends, family, translation);
        yield* touched === undefined ? inside.changes() : new TouchedDiff(inside, touched).changes();
      }
      if (family !== undefined) yield* outsideChanges(ends, family, translation, touched);
    }
  }
}

/** Changes between the pods and hosts of the clusters, in one address family. */
class InsideDiff {
  readonly views: { readonly before: View; readonly after: View };

  constructor(
    readonly ends: EndsInBoth,
    readonly family: Family | undefined,
    readonly translation: Translation,
  ) {
    this.views = { before: ends.before.view(family), after: ends.after.view(family) };
  }

  *changes(): Iterable<ChangedBlock> {
    const { ends, views } = this;
    const groupings = {
      before: groupEnds(ends.before.ends, views.before),
      after: groupEnds(ends.after.ends, views.after),
    };
    const [was, is] = [groupNumbers(groupings.before.groups), groupNumbers(groupings.after.groups)];
    const groups = ends.group(ends.classes, ({ before, after }) => `${was.get(before)!} ${is.get(after)!}`);
    const arePods = ({ before, after }: JointGroup) => before.kind === "pod" && after.kind === "pod";
    const pods = groups.filter(arePods);
    const others = groups.filter((group) => !arePods(group));

    const podsOf = (when: "before" | "after") => groupings[when].groups.filter(({ kind }) => kind === "pod");
    const [podsBefore, podsAfter] = [podsOf("before"), podsOf("after")];
    const sweeps = {
      before: tableSweep(views.before, groupings.before, podsBefore),
      after: tableSweep(views.after, groupings.after, podsAfter),
    };
    const buffers = { before: new Uint32Array(podsBefore.length), after: new Uint32Array(podsAfter.length) };
    const positions = (list: typeof podsBefore) => new Map(list.map(({ index }, i) => [index, i]));
    const [placesBefore, placesAfter] = [positions(podsBefore), positions(podsAfter)];
    const at = {
      before: Uint32Array.from(pods, ({ before }) => placesBefore.get(was.get(before)!)!),
      after: Uint32Array.from(pods, ({ after }) => placesAfter.get(is.get(after)!)!),
    };
    const sourcesAt = groupings.before.groups.map((): JointGroup[] => []);
    for (const group of pods) sourcesAt[was.get(group.before)!]!.push(group);
    for (const source of sweeps.before.sources) {
      const joint = sourcesAt[source.index]!;
      if (joint.length === 0) continue;
      const answersBefore = readOutgoing(sweeps.before.from(source), buffers.before);
      for (const group of joint) {
        const answersAfter = readOutgoing(
          sweeps.after.from(groupings.after.groups[is.get(group.after)!]!),
          buffers.after,
        );
        yield* this.betweenPods(group, pods, at, answersBefore, answersAfter);
      }
    }
    for (const source of pods) yield* this.withHosts(source, others);
    for (const source of others) yield* this.withHosts(source, groups);
  }

  private *betweenPods(
    source: JointGroup,
    pods: readonly JointGroup[],
    at: { readonly before: Uint32Array; readonly after: Uint32Array },
    before: Uint32Array,
    after: Uint32Array,
  ): Iterable<ChangedBlock> {
    const { translation } = this;
    const found = new Changes();
    for (let i = 0; i < pods.length; i++) {
      const [was, is] = [before[at.before[i]!]!, after[at.after[i]!]!];
      if (translation.isSame(was, is)) continue;
      const to = pods[i]!;
      if (talkIn(this.family, source, to))
        found.add(translation.of(was), is, undefined, to, source.size * to.size - ownPairs(source, to));
    }
    yield* this.blocks(source, found);
  }

  private *withHosts(source: JointGroup, others: readonly JointGroup[]): Iterable<ChangedBlock> {
    const found = new Changes();
    for (const to of others) this.withHost(source, to, found, to);
    yield* this.blocks(source, found);
  }

  /** Where a host is at one end, before or after: the verdict may depend on the node (S1.6). */
  withHost(source: JointGroup, to: JointGroup, found: Changes, other: JointGroup): void {
    if (!talkIn(this.family, source, to)) return;
    for (const before of nearnessInPair(source.before, to.before))
      for (const after of nearnessInPair(source.after, to.after)) {
        const was = between(this.views.before, source.before, to.before, before);
        const is = between(this.views.after, source.after, to.after, after);
        if (this.translation.isSame(was, is)) continue;
        const count = pairsBeing(source, to, before, after);
        if (count > 0) found.add(this.translation.of(was), is, { before, after }, other, count);
      }
  }

  *blocks(one: JointGroup, found: Changes, direction: Direction = "egress"): Iterable<ChangedBlock> {
    const own: ChangedSide = { kind: "ends", groups: [one] };
    for (const { before, after, nearness, groups, count } of found.all()) {
      const others: ChangedSide = { kind: "ends", groups };
      const [from, to] = direction === "egress" ? [own, others] : [others, own];
      yield new ChangedBlock(this.ends, this.family, from, to, nearness, { before, after }, count);
    }
  }
}

/** The same, restricted to connections of what an update touched. */
class TouchedDiff {
  private readonly groups = new Map<JointClass | EndClass, JointGroup>();
  private readonly moved: ReadonlySet<Pod>;
  private readonly isTouched: Readonly<Record<Direction, ReadonlySet<JointClass | EndClass>>>;

  constructor(
    private readonly inside: InsideDiff,
    private readonly touched: Touched,
  ) {
    this.moved = new Set(inside.ends.classes.flatMap(({ membersAfter }) => membersAfter as readonly Pod[]));
    const setOf = (list: readonly JointClass[]) =>
      new Set(list.map((joint) => (joint instanceof StayingClass ? joint.after : joint)));
    this.isTouched = { egress: setOf(touched.egress), ingress: setOf(touched.ingress) };
  }

  *changes(): Iterable<ChangedBlock> {
    const { ends, views } = this.inside;
    const { classes, hostClasses } = ends.after.ends;
    for (const direction of ["egress", "ingress"] as const) {
      const rows = {
        before: new OutcomeRows(views.before, direction),
        after: new OutcomeRows(views.after, direction),
      };
      for (const joint of this.touched[direction]) {
        if (joint.before.kind === "host" || joint.after.kind === "host") continue;
        const own = { was: rows.before.of(joint.before), is: rows.after.of(joint.after) };
        const found = new Changes();
        this.withPods(direction, joint, own, found);
        for (const index of hostClasses) this.withHost(direction, joint, own, classes[index]!, found);
        yield* this.inside.blocks(this.groupOf(joint), found, direction);
      }
    }
  }

  private withPods(direction: Direction, joint: JointClass, own: OwnOutcomes, found: Changes): void {
    const { ends, views, translation, family } = this.inside;
    const { classes, podClasses } = ends.after.ends;
    const { denies } = views.after.outcomes;
    const opposite = direction === "egress" ? "ingress" : "egress";
    const theirs = {
      was: new OutcomeColumn(views.before, opposite, joint.before.column),
      is: new OutcomeColumn(views.after, opposite, joint.after.column),
    };
    const compare = (before: EndClass, after: EndClass, other: JointClass | EndClass) => {
      // Where both are touched, their connections are compared at the source.
      if (direction === "ingress" && this.isTouched.egress.has(other)) return;
      const [was, is] = [own.was[before.column]!, own.is[after.column]!];
      const isSame = was === is && was !== uncertain;
      if (isSame && joint.before === joint.after && !this.isTouched[opposite].has(other)) return;
      // What its own policies deny, before and after, has not changed.
      if (isSame && denies[is] === everyPort) return;
      const then = this.answer(views.before, direction, joint.before, before, was, theirs.was);
      const now = this.answer(views.after, direction, joint.after, after, is, theirs.is);
      if (translation.isSame(then, now) || !talkIn(family, joint, { before, after })) return;
      const [one, to] = [this.groupOf(joint), this.groupOf(other)];
      found.add(translation.of(then), now, undefined, to, one.size * to.size - ownPairs(one, to));
    };
    for (const index of podClasses) compare(classes[index]!, classes[index]!, classes[index]!);
    for (const other of ends.classes)
      if (other.before.kind === "pod" && other.after.kind === "pod")
        compare(other.before, other.after, other);
  }

  private answer(
    view: View,
    direction: Direction,
    own: EndClass,
    other: EndClass,
    ours: OutcomeId,
    column: OutcomeColumn,
  ): AnswerId {
    const theirs = column.of(other);
    if (isSettled(ours) && isSettled(theirs))
      return view.answers.ports.intersect(view.answerOf(ours), view.answerOf(theirs));
    return direction === "egress" ? view.pairAnswer(own, other) : view.pairAnswer(other, own);
  }

  private withHost(
    direction: Direction,
    joint: JointClass,
    { was, is }: OwnOutcomes,
    host: EndClass,
    found: Changes,
  ): void {
    const isSame = (column: number) => was[column] === is[column] && is[column] !== uncertain;
    if (joint.isMoved !== true && isSame(host.column) && isSame(host.ownColumn)) return;
    const [one, other] = [this.groupOf(joint), this.groupOf(host)];
    if (direction === "egress") this.inside.withHost(one, other, found, other);
    else this.inside.withHost(other, one, found, other);
  }

  /** A class represents its members that did not move. */
  private groupOf(of: JointClass | EndClass): JointGroup {
    const key = of instanceof StayingClass ? of.after : of;
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const joint = "column" in key ? new StayingClass(key, this.moved) : key;
    const made = new JointGroup(this.groups.size, this.inside.ends, [joint]);
    this.groups.set(key, made);
    return made;
  }
}

/** What the own policies of a class say, before and after, by column. */
interface OwnOutcomes {
  readonly was: Uint32Array;
  readonly is: Uint32Array;
}

interface Bucket {
  readonly before: AnswerId;
  readonly after: AnswerId;
  readonly nearness: NearnessInBoth | undefined;
  readonly groups: JointGroup[];
  count: number;
}

/** The changed destinations of one source, those with the same change together. */
class Changes {
  private readonly buckets = new Map<string, Bucket>();

  add(
    before: AnswerId,
    after: AnswerId,
    nearness: NearnessInBoth | undefined,
    to: JointGroup,
    count: number,
  ): void {
    if (count === 0) return;
    const key = `${before} ${after} ${nearness?.before} ${nearness?.after}`;
    const known = this.buckets.get(key) ?? { before, after, nearness, groups: [], count: 0 };
    known.groups.push(to);
    known.count += count;
    this.buckets.set(key, known);
  }

  all(): Iterable<Bucket> {
    return this.buckets.values();
  }
}

const talkIn = (family: Family | undefined, a: InBoth, b: InBoth): boolean =>
  canCompare(family, a.before.families, a.after.families, b.before.families, b.after.families);

type InBoth = Pick<JointClass, "before" | "after">;

/** Nothing is said here about an end and itself. */
const ownPairs = (a: JointGroup, b: JointGroup): number => (a === b ? a.size : 0);

const nearnessInPair = (a: EndClass, b: EndClass): readonly (Nearness | undefined)[] =>
  a.kind === b.kind ? [undefined] : nearnessBetween(a, b);

function between(view: View, source: EndClass, to: EndClass, nearness: Nearness | undefined): AnswerId {
  if (nearness === undefined) return source.kind === "pod" ? view.pairAnswer(source, to) : everyPort;
  return source.kind === "pod"
    ? view.answer("egress", source, { kind: "host", end: to, nearness })
    : view.answer("ingress", to, { kind: "host", end: source, nearness });
}

/** How many pairs of two groups stand so to each other. */
function pairsBeing(
  a: JointGroup,
  b: JointGroup,
  before: Nearness | undefined,
  after: Nearness | undefined,
): number {
  const all = a.size * b.size - ownPairs(a, b);
  const onOne = (when: "before" | "after" | "both") => {
    let sum = 0;
    for (const [node, count] of a.nodes[when]) sum += count * (b.nodes[when].get(node) ?? 0);
    return sum;
  };
  const isSplit = (nearness: Nearness | undefined) => nearness === "own-node" || nearness === "other-node";
  if (!isSplit(before) && !isSplit(after)) return all;
  if (!isSplit(before)) return after === "own-node" ? onOne("after") : all - onOne("after");
  if (!isSplit(after)) return before === "own-node" ? onOne("before") : all - onOne("before");
  const both = onOne("both");
  if (before === "own-node") return after === "own-node" ? both : onOne("before") - both;
  return after === "own-node" ? onOne("after") - both : all - onOne("before") - onOne("after") + both;
}
