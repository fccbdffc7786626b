import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import { ChangedBlock, type ChangedSide, type NearnessInBoth } from "./changed-block.js";
import { groupEnds } from "../pairs/end-groups.js";
import type { EndClass } from "../classes/ends.js";
import { type Compared, EndsInBoth, groupNumbers, type JointGroup } from "./ends-in-both.js";
import { type Nearness, nearnessBetween } from "../compile/layer.js";
import { outsideChanges } from "./outside-diff.js";
import { PodSweep } from "../pairs/pod-sweep.js";
import { everyPort, type PortSets } from "../../sets/port-sets.js";
import { canCompare } from "../classes/talking.js";
import { Translation } from "./translation.js";
import type { View } from "../compile/view.js";

/**
 * What is different between two engines: pairs of ends that both have, and the ports whose verdict changed. Good for as
 * long as neither engine takes updates.
 */
export function diffEngines(before: Compared, after: Compared): Difference {
  return new Difference(new EndsInBoth(before, after));
}

export class Difference implements Iterable<ChangedBlock> {
  readonly appeared: EndsInBoth["appeared"];
  readonly disappeared: EndsInBoth["disappeared"];
  /** Where the port sets of the blocks are known. */
  readonly ports: PortSets;

  constructor(readonly ends: EndsInBoth) {
    this.appeared = ends.appeared;
    this.disappeared = ends.disappeared;
    this.ports = ends.after.answers.ports;
  }

  *[Symbol.iterator](): Iterator<ChangedBlock> {
    const { before, after } = this.ends;
    const translation = new Translation(before.answers, after.answers);
    for (const family of [4, 6, undefined] as const) {
      if (before.isSpoken(family) || after.isSpoken(family))
        yield* new InsideDiff(this.ends, family, translation).changes();
      if (family !== undefined) yield* outsideChanges(this.ends, family, translation);
    }
  }
}

/** Changes between the pods and hosts of the clusters, in one address family. */
class InsideDiff {
  private readonly views: { readonly before: View; readonly after: View };

  constructor(
    private readonly ends: EndsInBoth,
    private readonly family: Family | undefined,
    private readonly translation: Translation,
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
    const groups = ends.group(({ before, after }) => `${was.get(before)!} ${is.get(after)!}`);
    const arePods = ({ before, after }: JointGroup) => before.kind === "pod" && after.kind === "pod";
    const pods = groups.filter(arePods);
    const others = groups.filter((group) => !arePods(group));

    const podsOf = (when: "before" | "after") => groupings[when].groups.filter(({ kind }) => kind === "pod");
    const [podsBefore, podsAfter] = [podsOf("before"), podsOf("after")];
    const sweeps = {
      before: new PodSweep(views.before, groupings.before, podsBefore),
      after: new PodSweep(views.after, groupings.after, podsAfter),
    };
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
      const answersBefore = sweeps.before.from(source).toPods;
      for (const group of joint) {
        const answersAfter = sweeps.after.from(groupings.after.groups[is.get(group.after)!]!).toPods;
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

  /** Where a host is at one end, before or after: what is said may hang on the node (S1.6). */
  private *withHosts(source: JointGroup, others: readonly JointGroup[]): Iterable<ChangedBlock> {
    const found = new Changes();
    for (const to of others) {
      if (!talkIn(this.family, source, to)) continue;
      for (const before of nearnessInPair(source.before, to.before))
        for (const after of nearnessInPair(source.after, to.after)) {
          const was = between(this.views.before, source.before, to.before, before);
          const is = between(this.views.after, source.after, to.after, after);
          if (this.translation.isSame(was, is)) continue;
          const count = pairsBeing(source, to, before, after);
          if (count > 0) found.add(this.translation.of(was), is, { before, after }, to, count);
        }
    }
    yield* this.blocks(source, found);
  }

  private *blocks(source: JointGroup, found: Changes): Iterable<ChangedBlock> {
    const from: ChangedSide = { kind: "ends", groups: [source] };
    for (const { before, after, nearness, groups, count } of found.all()) {
      const to = { kind: "ends", groups } as const;
      yield new ChangedBlock(this.ends, this.family, from, to, nearness, { before, after }, count);
    }
  }
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

const talkIn = (family: Family | undefined, a: JointGroup, b: JointGroup): boolean =>
  canCompare(family, a.before.families, a.after.families, b.before.families, b.after.families);

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
