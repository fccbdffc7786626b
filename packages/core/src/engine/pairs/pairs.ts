import type { Family } from "../../net/address.js";
import { AnswerSlots, type Block, Blocks, PodBlocks, UsualBlocks } from "./blocks.js";
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
  let usual: UsualBlocks | undefined;
  for (const source of sweep.sources) {
    const outgoing = sweep.from(source);
    const canTalk = talking.isAll(source, pods) ? undefined : (i: number) => talking.can(source, pods[i]!);
    if (usual?.of !== outgoing.usual || usual.canTalk !== undefined || canTalk !== undefined)
      usual = new UsualBlocks(outgoing.usual, slots, sizes, canTalk);
    yield* new PodBlocks(view, usual, outgoing, slots, sizes, pods, numberOf.get(source)!).blocks();
    yield* fromPodToHosts(view, source, hosts, outgoing, talking, near);
  }
  for (const source of shareOf(hosts, part)) {
    yield* fromHostToPods(view, source, pods, sweep, talking, near);
    const found = new Blocks(view, source);
    for (const host of hosts)
      if (talking.can(source, host)) found.add(everyPort, host, source.size * host.size);
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
  pod: EndGroup,
  hosts: readonly EndGroup[],
  { toHost }: Outgoing,
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    let found: Blocks | undefined;
    for (const host of hosts) {
      const count = talking.can(pod, host) ? near.count(pod, host, nearness) : 0;
      if (count === 0) continue;
      found ??= new Blocks(view, pod, nearness);
      found.add(toHost(host, nearness), host, count);
    }
    if (found !== undefined) yield* found.blocks();
  }
}

function* fromHostToPods(
  view: View,
  host: EndGroup,
  pods: readonly EndGroup[],
  sweep: PodSweep,
  talking: Talking,
  near: NearPairs,
): Iterable<Block> {
  for (const nearness of allNearness) {
    const found = new Blocks(view, host, nearness);
    for (const pod of pods) {
      const count = talking.can(host, pod) ? near.count(pod, host, nearness) : 0;
      if (count > 0) found.add(sweep.fromHost(host, pod, nearness), pod, count);
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
