import type { Family } from "../net/address.js";
import type { AnswerId } from "./answers.js";
import type { EndGroup, Grouping } from "./end-groups.js";
import type { Nearness, Other } from "./layer.js";
import { PodSweep } from "./pod-sweep.js";
import { everyPort, type PortSetId } from "./port-sets.js";
import type { View } from "./view.js";

/** Pairs of ends that get the same answer: each of `from` with each of `to`, except with itself. */
export class Block {
  /** The address family of the connections, where the ends tell (S1.15). */
  readonly family: Family | undefined;
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;

  constructor(
    { family, answers }: View,
    readonly from: EndGroup,
    private readonly all: readonly EndGroup[],
    private readonly indices: Uint32Array,
    answer: AnswerId,
    /** How many ordered pairs of different ends. */
    readonly count: number,
    /** Where one end is a host and the other a pod: which of their pairs are meant (S1.6). */
    readonly nearness: Nearness | undefined,
  ) {
    this.family = family;
    this.allowed = answers.allowed(answer);
    this.undecided = answers.undecided(answer);
  }

  get to(): readonly EndGroup[] {
    return Array.from(this.indices, (i) => this.all[i]!);
  }
}

/** All pairs in one address family, source by source. */
export function* pairsIn(view: View, grouping: Grouping): Iterable<Block> {
  const pods = grouping.groups.filter(({ kind }) => kind === "pod");
  const hosts = grouping.groups.filter(({ kind }) => kind === "host");
  const talking = new Talking(view.family);
  const near = new NearPairs(pods, hosts);
  const sweep = new PodSweep(view, grouping, pods);
  const sizes = Float64Array.from(pods, ({ size }) => size);
  for (const source of sweep.sources) {
    const found = new Blocks(view, source, pods);
    found.addAll(
      sweep.answersFrom(source),
      sizes,
      (i) => talking.can(source, pods[i]!),
      talking.isAll(source, pods),
    );
    yield* found.blocks();
    yield* fromPodToHosts(view, source, hosts, talking, near);
  }
  for (const source of hosts) {
    yield* fromHostToPods(view, source, pods, talking, near);
    const found = new Blocks(view, source, hosts);
    for (const [i, host] of hosts.entries())
      if (talking.can(source, host)) found.add(everyPort, i, source.size * host.size);
    yield* found.blocks();
  }
}

function* fromPodToHosts(
  view: View,
  pod: EndGroup,
  hosts: readonly EndGroup[],
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    const found = new Blocks(view, pod, hosts, nearness);
    for (const [i, host] of hosts.entries()) {
      const count = talking.can(pod, host) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(view.answer("egress", pod.classes[0]!, hostAt(host, nearness)), i, count);
    }
    yield* found.blocks();
  }
}

function* fromHostToPods(
  view: View,
  host: EndGroup,
  pods: readonly EndGroup[],
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    const found = new Blocks(view, host, pods, nearness);
    for (const [i, pod] of pods.entries()) {
      const count = talking.can(host, pod) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(view.answer("ingress", pod.classes[0]!, hostAt(host, nearness)), i, count);
    }
    yield* found.blocks();
  }
}

const allNearness = ["other-node", "own-node", "unknown-node"] as const;

const hostAt = ({ classes }: EndGroup, nearness: Nearness): Other => ({
  kind: "host",
  end: classes[0]!,
  nearness,
});

/** Sorts the destinations of one source by the answer they get, without an object for each. */
class Blocks {
  private readonly slots = new Map<AnswerId, number>();
  private readonly answers: AnswerId[] = [];
  private readonly lengths: number[] = [];
  private readonly counts: number[] = [];
  /** In the order they came: the destination, and the number of its answer. */
  private readonly destinations: Uint32Array;
  private readonly slotOf: Uint32Array;
  private length = 0;
  private lastAnswer: AnswerId | undefined;
  private lastSlot = 0;

  constructor(
    private readonly view: View,
    private readonly from: EndGroup,
    private readonly all: readonly EndGroup[],
    private readonly nearness?: Nearness,
  ) {
    this.destinations = new Uint32Array(all.length);
    this.slotOf = new Uint32Array(all.length);
  }

  /** The i-th of all ends gets this answer, in so many pairs. */
  add(answer: AnswerId, i: number, pairs: number): void {
    const to = this.all[i]!;
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const slot = answer === this.lastAnswer ? this.lastSlot : this.slotFor(answer);
    this.lengths[slot]!++;
    this.counts[slot]! += count;
    this.destinations[this.length] = i;
    this.slotOf[this.length++] = slot;
  }

  /** The same for all ends, as far as the source can talk to them. */
  addAll(answers: Uint32Array, sizes: Float64Array, canTalk: (i: number) => boolean, toAll: boolean): void {
    const self = this.all.indexOf(this.from);
    const { size } = this.from;
    for (let i = 0; i < answers.length; i++) {
      if (!toAll && !canTalk(i)) continue;
      const answer = answers[i]!;
      const count = i === self ? size * (size - 1) : size * sizes[i]!;
      if (count === 0) continue;
      const slot = answer === this.lastAnswer ? this.lastSlot : this.slotFor(answer);
      this.lengths[slot]!++;
      this.counts[slot]! += count;
      this.destinations[this.length] = i;
      this.slotOf[this.length++] = slot;
    }
  }

  private slotFor(answer: AnswerId): number {
    let slot = this.slots.get(answer);
    if (slot === undefined) {
      slot = this.answers.push(answer) - 1;
      this.slots.set(answer, slot);
      this.lengths.push(0);
      this.counts.push(0);
    }
    this.lastAnswer = answer;
    this.lastSlot = slot;
    return slot;
  }

  *blocks(): Iterable<Block> {
    const sorted = new Uint32Array(this.length);
    const ends: number[] = [];
    for (const [slot, length] of this.lengths.entries()) ends.push((ends[slot - 1] ?? 0) + length);
    const next = ends.map((end, slot) => end - this.lengths[slot]!);
    for (let i = 0; i < this.length; i++) sorted[next[this.slotOf[i]!]!++] = this.destinations[i]!;
    for (const [slot, answer] of this.answers.entries()) {
      const indices = sorted.subarray(ends[slot]! - this.lengths[slot]!, ends[slot]);
      yield new Block(this.view, this.from, this.all, indices, answer, this.counts[slot]!, this.nearness);
    }
  }
}

/** S1.15: which ends talk in this family: those that have it in common, or where only one is known to have it. */
class Talking {
  private readonly all = new Map<string, boolean>();

  constructor(private readonly family: Family | undefined) {}

  /** Whether the source can talk to all of them; mostly all ends have the same families. */
  isAll(source: EndGroup, others: readonly EndGroup[]): boolean {
    const key = source.families.join();
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const found = others.every((other) => this.can(source, other));
    this.all.set(key, found);
    return found;
  }

  can(a: EndGroup, b: EndGroup): boolean {
    if (this.family === undefined) return a.families.length === 0 && b.families.length === 0;
    const [inA, inB] = [a.families.includes(this.family), b.families.includes(this.family)];
    return (inA || a.families.length === 0) && (inB || b.families.length === 0) && (inA || inB);
  }
}

/** How many pods of a group run on the hosts of another. */
class NearPairs {
  private readonly own = new Map<number, number>();

  constructor(
    pods: readonly EndGroup[],
    private readonly hosts: readonly EndGroup[],
  ) {
    const hostsOn = new Map<string, number[]>();
    for (const [number, { classes }] of hosts.entries())
      for (const end of classes)
        for (const name of [
          ...end.nodes.map((node) => node.name),
          ...end.pods.flatMap((pod) => pod.node ?? []),
        ])
          hostsOn.set(name, [...(hostsOn.get(name) ?? []), number]);
    for (const group of pods)
      for (const { pods: members } of group.classes)
        for (const { node } of members)
          for (const host of node === undefined ? [] : (hostsOn.get(node) ?? [])) {
            const key = group.index * hosts.length + host;
            this.own.set(key, (this.own.get(key) ?? 0) + 1);
          }
  }

  count(pod: EndGroup, host: EndGroup, nearness: Nearness): number {
    const all = pod.size * host.size;
    if (!pod.placed || !host.placed) return nearness === "unknown-node" ? all : 0;
    const own = this.own.get(pod.index * this.hosts.length + this.hosts.indexOf(host)) ?? 0;
    return nearness === "own-node" ? own : nearness === "other-node" ? all - own : 0;
  }
}
