import type { Family } from "../net/address.js";
import type { AnswerId } from "./answers.js";
import type { EndGroup, Grouping } from "./end-groups.js";
import type { Nearness, Other } from "./layer.js";
import { PodSweep } from "./pod-sweep.js";
import { everyPort, type PortSetId } from "./port-sets.js";
import type { View } from "./view.js";

/** Pairs of ends that get the same answer: each of `from` with each of `to`, except with itself. */
export interface Block {
  readonly from: EndGroup;
  readonly to: readonly EndGroup[];
  /** Where one end is a host and the other a pod: which of their pairs are meant (S1.6). */
  readonly nearness?: Nearness;
  /** The address family of the connections, where the ends tell (S1.15). */
  readonly family?: Family;
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;
  /** How many ordered pairs of different ends. */
  readonly count: number;
}

/** All pairs in one address family, source by source. */
export function* pairsIn(view: View, grouping: Grouping): Iterable<Block> {
  const pods = grouping.groups.filter(({ kind }) => kind === "pod");
  const hosts = grouping.groups.filter(({ kind }) => kind === "host");
  const talking = new Talking(view.family);
  const near = new NearPairs(pods, hosts);
  const sweep = new PodSweep(view, grouping, pods);
  for (const source of sweep.sources) {
    const found = new Blocks(view, source);
    const answers = sweep.answersFrom(source);
    for (let i = 0; i < pods.length; i++)
      if (talking.can(source, pods[i]!)) found.add(answers[i]!, pods[i]!, source.size * pods[i]!.size);
    yield* found.all();
    yield* fromPodToHosts(view, source, hosts, talking, near);
  }
  for (const source of hosts) {
    yield* fromHostToPods(view, source, pods, talking, near);
    const found = new Blocks(view, source);
    for (const host of hosts)
      if (talking.can(source, host)) found.add(everyPort, host, source.size * host.size);
    yield* found.all();
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
    const found = new Blocks(view, pod, nearness);
    for (const host of hosts) {
      const count = talking.can(pod, host) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(view.answer("egress", pod.classes[0]!, hostAt(host, nearness)), host, count);
    }
    yield* found.all();
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
    const found = new Blocks(view, host, nearness);
    for (const pod of pods) {
      const count = talking.can(host, pod) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(view.answer("ingress", pod.classes[0]!, hostAt(host, nearness)), pod, count);
    }
    yield* found.all();
  }
}

const allNearness = ["other-node", "own-node", "unknown-node"] as const;

const hostAt = ({ classes }: EndGroup, nearness: Nearness): Other => ({
  kind: "host",
  end: classes[0]!,
  nearness,
});

/** Collects the destinations of one source by the answer they get. */
class Blocks {
  private readonly byAnswer = new Map<AnswerId, { readonly to: EndGroup[]; count: number }>();

  constructor(
    private readonly view: View,
    private readonly from: EndGroup,
    private readonly nearness?: Nearness,
  ) {}

  add(answer: AnswerId, to: EndGroup, pairs: number): void {
    // Nothing is said here about an end and itself.
    const count = to === this.from ? pairs - to.size : pairs;
    if (count === 0) return;
    const known = this.byAnswer.get(answer);
    if (known === undefined) this.byAnswer.set(answer, { to: [to], count });
    else {
      known.to.push(to);
      known.count += count;
    }
  }

  *all(): Iterable<Block> {
    const { answers, family } = this.view;
    for (const [answer, { to, count }] of this.byAnswer)
      yield {
        from: this.from,
        to,
        ...(this.nearness === undefined ? {} : { nearness: this.nearness }),
        ...(family === undefined ? {} : { family }),
        allowed: answers.allowed(answer),
        undecided: answers.undecided(answer),
        count,
      };
  }
}

/** S1.15: which ends talk in this family: those that have it in common, or where only one is known to have it. */
class Talking {
  constructor(private readonly family: Family | undefined) {}

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
