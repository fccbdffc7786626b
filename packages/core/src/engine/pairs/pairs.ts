import type { Family } from "../../net/address.js";
import { AnswerSlots, type Block, Blocks } from "./blocks.js";
import { type EndGroup, groupEnds, ungrouped } from "./end-groups.js";
import { allNearness, type Nearness } from "../compile/layer.js";
import { type Part, shareOf, whole } from "./part.js";
import type { Outgoing, PodSweep } from "./pod-sweep.js";
import { streamedSweep } from "./streamed-sweep.js";
import { tableSweep } from "./table-sweep.js";
import { everyPort } from "../../sets/port-sets.js";
import { type Representation, representationFor } from "../compile/representation.js";
import { canTalk } from "../classes/talking.js";
import type { View } from "../compile/view.js";

export interface PairsOptions {
  /** Only the sources of one part, where several share the work; all parts together are all pairs, each once. */
  readonly part?: Part;
  /** Taken by the shape of the cluster, unless it is given. */
  readonly representation?: Representation;
}

/** All pairs in one address family, source by source. */
export function* pairsIn(
  view: View,
  { part = whole, representation = representationFor(view) }: PairsOptions = {},
): Iterable<Block> {
  const { sweep, pods, hosts } = sweepOf(view, part, representation);
  const talking = new Talking(view.family);
  const near = new NearPairs(pods, hosts);
  const each = Float64Array.from(pods, ({ size }) => size);
  const sizes = { each, all: each.reduce((sum, size) => sum + size, 0) };
  const numberOf = new Map(pods.map((group, i) => [group, i]));
  const slots = new AnswerSlots();
  for (const source of sweep.sources) {
    const found = new Blocks(view, slots, source, pods);
    const outgoing = sweep.from(source);
    const canTalk = talking.isAll(source, pods) ? undefined : (i: number) => talking.can(source, pods[i]!);
    found.addAll(outgoing, sizes, numberOf.get(source)!, canTalk);
    yield* found.blocks();
    yield* fromPodToHosts(view, slots, source, hosts, outgoing, talking, near);
  }
  for (const source of shareOf(hosts, part)) {
    yield* fromHostToPods(view, slots, source, pods, sweep, talking, near);
    const found = new Blocks(view, slots, source, hosts);
    for (const [i, host] of hosts.entries())
      if (talking.can(source, host)) found.add(everyPort, i, source.size * host.size);
    yield* found.blocks();
  }
}

function sweepOf(view: View, part: Part, representation: Representation) {
  const of = (groups: readonly EndGroup[], kind: EndGroup["kind"]) =>
    groups.filter((group) => group.kind === kind);
  switch (representation) {
    case "tables": {
      const grouping = groupEnds(view.ends, view);
      const [pods, hosts] = [of(grouping.groups, "pod"), of(grouping.groups, "host")];
      return { sweep: tableSweep(view, grouping, pods, part), pods, hosts };
    }
    case "streamed": {
      const groups = ungrouped(view.ends);
      const [pods, hosts] = [of(groups, "pod"), of(groups, "host")];
      return { sweep: streamedSweep(view, pods, hosts, part), pods, hosts };
    }
  }
}

function* fromPodToHosts(
  view: View,
  slots: AnswerSlots,
  pod: EndGroup,
  hosts: readonly EndGroup[],
  { toHost }: Outgoing,
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    let found: Blocks | undefined;
    for (let i = 0; i < hosts.length; i++) {
      const host = hosts[i]!;
      const count = talking.can(pod, host) ? near.count(pod, host, nearness) : 0;
      if (count === 0) continue;
      found ??= new Blocks(view, slots, pod, hosts, nearness);
      found.add(toHost(host, nearness), i, count);
    }
    if (found !== undefined) yield* found.blocks();
  }
}

function* fromHostToPods(
  view: View,
  slots: AnswerSlots,
  host: EndGroup,
  pods: readonly EndGroup[],
  sweep: PodSweep,
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    const found = new Blocks(view, slots, host, pods, nearness);
    for (const [i, pod] of pods.entries()) {
      const count = talking.can(host, pod) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(sweep.fromHost(host, pod, nearness), i, count);
    }
    yield* found.blocks();
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
    return canTalk(this.family, a.families, b.families);
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
    const counts = new Uint32Array(hosts.length);
    for (const group of pods) {
      const found: number[] = [];
      for (const { pods: members } of group.classes)
        for (let i = 0; i < members.length; i++) {
          const { node } = members[i]!;
          const on = node === undefined ? undefined : hostsOn.get(node);
          if (on !== undefined) for (const host of on) if (counts[host]!++ === 0) found.push(host);
        }
      for (const host of found) {
        this.own.set(group.index * hosts.length + host, counts[host]!);
        counts[host] = 0;
      }
    }
  }

  count(pod: EndGroup, host: EndGroup, nearness: Nearness): number {
    const all = pod.size * host.size;
    if (!pod.placed || !host.placed) return nearness === "unknown-node" ? all : 0;
    const own = this.own.get(pod.index * this.hosts.length + this.hosts.indexOf(host)) ?? 0;
    return nearness === "own-node" ? own : nearness === "other-node" ? all - own : 0;
  }
}
