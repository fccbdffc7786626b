import type { Cluster, Pod } from "../../cluster/model.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { Answers } from "../compile/answers.js";
import type { EndGroup } from "../pairs/end-groups.js";
import type { EndClass, Ends, Member } from "../classes/ends.js";
import type { FlowExplanation } from "../walk/explanation.js";
import { endpointOf, nodeOf } from "../classes/members.js";
import type { View } from "../compile/view.js";

/** What is compared: an engine, which need not know that it is. */
export interface Compared {
  readonly cluster: Cluster;
  readonly ends: Ends;
  readonly answers: Answers;
  view(family: Family | undefined): View;
  isSpoken(family: Family | undefined): boolean;
  explain(flow: Flow): FlowExplanation;
  pointsBetween(flow: Flow): readonly number[];
}

/** An end as it was, and as it is now. */
export interface EndInBoth {
  readonly before: Endpoint;
  readonly after: Endpoint;
}

/** Ends that were of one class before and are of one class after. */
export interface JointClass {
  readonly before: EndClass;
  readonly after: EndClass;
  /** Whether its members may run on other nodes now. */
  readonly isMoved?: boolean;
  /** By the same positions. */
  readonly membersBefore: readonly Member[];
  readonly membersAfter: readonly Member[];
}

/** The ends of two clusters, by their classes in both. */
export class EndsInBoth {
  private constructor(
    readonly before: Compared,
    readonly after: Compared,
    readonly classes: readonly JointClass[],
    readonly appeared: readonly Endpoint[],
    readonly disappeared: readonly Endpoint[],
  ) {}

  /** Pods are the same by namespace and name, nodes by name. */
  static of(before: Compared, after: Compared): EndsInBoth {
    const classes = new Map<number, { before: EndClass; after: EndClass; was: Member[]; is: Member[] }>();
    const found = { appeared: [] as Endpoint[], disappeared: [] as Endpoint[] };
    const classOf = (engine: Compared, member: Member) => engine.ends.classOfMember(member)!;
    const pairUp = (was: ReadonlyMap<string, Member>, is: ReadonlyMap<string, Member>) => {
      for (const [key, now] of is) {
        const then = was.get(key);
        const afterwards = classOf(after, now);
        if (then === undefined) {
          found.appeared.push(endpointOf(after.cluster, afterwards, now));
          continue;
        }
        const beforehand = classOf(before, then);
        const number = beforehand.index * 0x4000000 + afterwards.index;
        let joint = classes.get(number);
        if (joint === undefined) {
          joint = { before: beforehand, after: afterwards, was: [], is: [] };
          classes.set(number, joint);
        }
        joint.was.push(then);
        joint.is.push(now);
      }
      for (const [key, then] of was)
        if (!is.has(key)) found.disappeared.push(endpointOf(before.cluster, classOf(before, then), then));
    };
    pairUp(before.cluster.pods, after.cluster.pods);
    pairUp(before.cluster.nodes, after.cluster.nodes);
    const joint = Array.from(classes.values(), ({ before, after, was, is }) => ({
      before,
      after,
      membersBefore: was,
      membersAfter: is,
    }));
    return new EndsInBoth(before, after, joint, found.appeared, found.disappeared);
  }

  /** Two engines with the same classes: pods that are of another class than they were, or run elsewhere. */
  static moved(before: Compared, after: Compared, moves: readonly Move[]): EndsInBoth {
    const classes = moves.map((move) => ({
      before: move.from,
      after: move.to,
      isMoved: move.before.node !== move.after.node,
      membersBefore: [move.before],
      membersAfter: [move.after],
    }));
    return new EndsInBoth(before, after, classes, [], []);
  }

  /** One by one. */
  *membersOf(joint: JointClass): Iterable<EndInBoth> {
    for (const [i, now] of joint.membersAfter.entries())
      yield {
        before: endpointOf(this.before.cluster, joint.before, joint.membersBefore[i]!),
        after: endpointOf(this.after.cluster, joint.after, now),
      };
  }

  /** Puts classes together that `keyOf` gives the same key. */
  group(classes: readonly JointClass[], keyOf: (joint: JointClass) => string): readonly JointGroup[] {
    const groups = new Map<string, JointClass[]>();
    for (const joint of classes) {
      const key = keyOf(joint);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [joint]);
      else known.push(joint);
    }
    return [...groups.values()].map((classes, index) => new JointGroup(index, this, classes));
  }
}

/** Ends that behaved alike before, and do so after. */
export class JointGroup {
  readonly before: EndClass;
  readonly after: EndClass;
  readonly size: number;
  private nodeCounts: NodeCounts | undefined;

  constructor(
    readonly index: number,
    private readonly ends: EndsInBoth,
    readonly classes: readonly JointClass[],
  ) {
    this.before = classes[0]!.before;
    this.after = classes[0]!.after;
    this.size = classes.reduce((sum, { membersAfter }) => sum + membersAfter.length, 0);
  }

  *members(): Iterable<EndInBoth> {
    for (const joint of this.classes) yield* this.ends.membersOf(joint);
  }

  get membersAfter(): readonly Member[] {
    return this.classes.flatMap((joint) => joint.membersAfter);
  }

  /** How many of its ends are, or run on, each node. */
  get nodes(): NodeCounts {
    if (this.nodeCounts !== undefined) return this.nodeCounts;
    const empty = () => new Map<string, number>();
    const counts = { before: empty(), after: empty(), both: empty() };
    const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
    for (const { before, after } of this.members()) {
      const [was, is] = [nodeOf(before), nodeOf(after)];
      if (was !== undefined) add(counts.before, was);
      if (is !== undefined) add(counts.after, is);
      if (was !== undefined && is !== undefined) add(counts.both, `${was}\n${is}`);
    }
    this.nodeCounts = counts;
    return counts;
  }
}

interface NodeCounts {
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
  /** By the node before and the node after. */
  readonly both: ReadonlyMap<string, number>;
}

/** A pod that was of one class and is of another now, or runs elsewhere. */
export interface Move {
  readonly before: Pod;
  readonly after: Pod;
  readonly from: EndClass;
  readonly to: EndClass;
}

/** A class without the pods that moved; its members are listed when they are asked for. */
export class StayingClass implements JointClass {
  constructor(
    private readonly end: EndClass,
    private readonly moved: ReadonlySet<Pod>,
  ) {}

  get before(): EndClass {
    return this.end;
  }

  get after(): EndClass {
    return this.end;
  }

  get membersBefore(): readonly Member[] {
    return this.membersAfter;
  }

  get membersAfter(): readonly Member[] {
    const { pods, nodes } = this.end;
    const staying = this.moved.size === 0 ? pods : pods.filter((pod) => !this.moved.has(pod));
    return nodes.length === 0 ? staying : [...staying, ...nodes];
  }
}

/** What an update touched: classes whose own policies changed in a direction, and pods that moved, in both. */
export type Touched = Readonly<Record<Direction, readonly JointClass[]>>;

/** By class, the number of its group. */
export function groupNumbers(groups: readonly EndGroup[]): ReadonlyMap<EndClass, number> {
  return new Map(groups.flatMap(({ classes, index }) => classes.map((end) => [end, index] as const)));
}
