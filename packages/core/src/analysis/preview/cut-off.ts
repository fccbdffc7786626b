import { type Pod, podKey } from "../../cluster/model.js";
import type { Block } from "../../engine/blocks.js";
import type { EndGroup } from "../../engine/end-groups.js";
import type { EndClass } from "../../engine/ends.js";
import type { Engine } from "../../engine/engine.js";
import { noPorts, type PortSetId } from "../../engine/port-sets.js";
import { canTalk } from "../../engine/talking.js";
import { realPorts } from "../../engine/translation.js";
import type { Direction } from "../../policy/model.js";
import { type Grain, type Party, partiesOfPods } from "../party.js";

/** Pods that could open, or be opened, some connection, and now no longer any. */
export interface CutOff {
  readonly direction: Direction;
  readonly parties: readonly Party[];
  readonly pods: number;
}

/**
 * S1.6: what a pod's own node may always do does not count. Neither does what only may be: a pod is cut off when nothing
 * is allowed or undecided any more, and something was allowed before.
 */
export function cutOff(before: Engine, after: Engine, grain: Grain): readonly CutOff[] {
  const now = new Reachable(after, "possibly");
  const candidates = (direction: Direction) =>
    [...after.cluster.pods.values()].filter(
      (pod) => !pod.hostNetwork && before.cluster.pods.has(podKey(pod)) && !now.has(direction, pod),
    );
  const found = { egress: candidates("egress"), ingress: candidates("ingress") };
  if (found.egress.length + found.ingress.length === 0) return [];
  const then = new Reachable(before, "surely");
  return (["egress", "ingress"] as const).flatMap((direction) => {
    const pods = found[direction].filter((pod) => then.has(direction, pod));
    return pods.length === 0 ? [] : { direction, parties: partiesOfPods(pods, grain), pods: pods.length };
  });
}

/** Which pods can open any connection, and be opened one. */
class Reachable {
  private readonly pods = { egress: new Set<string>(), ingress: new Set<string>() };
  private readonly known = { egress: new Set<EndClass>(), ingress: new Set<EndClass>() };
  private readonly real: PortSetId;

  constructor(
    private readonly engine: Engine,
    private readonly how: "surely" | "possibly",
  ) {
    this.real = realPorts(engine.ports);
    for (const block of engine.pairs()) if (this.isOpen(block)) this.addBlock(block);
    for (const block of engine.externalPairs())
      if (this.isOpen(block)) for (const end of block.classes) this.addClass(block.direction, end);
    for (const end of engine.ends.classes) this.addReplicas(end);
  }

  has(direction: Direction, pod: Pod): boolean {
    return this.pods[direction].has(podKey(pod));
  }

  private isOpen({
    allowed,
    undecided,
  }: {
    readonly allowed: PortSetId;
    readonly undecided: PortSetId;
  }): boolean {
    const { ports } = this.engine;
    const open = this.how === "surely" ? allowed : ports.union(allowed, undecided);
    return ports.intersect(this.real, open) !== noPorts;
  }

  private addBlock(block: Block): void {
    const { nearness } = block;
    if (nearness === undefined) {
      for (const end of block.from.classes) this.addClass("egress", end);
      // Listing the others takes longer than all else, and soon there is nobody left to find.
      if (this.pods.ingress.size < this.engine.cluster.pods.size)
        for (const group of block.to) for (const end of group.classes) this.addClass("ingress", end);
      return;
    }
    const { from, to } = block;
    if (from.kind === "pod") for (const group of to) this.addBeside("egress", from, group, block);
    // Of a pod whose node is not known, what is undecided may be its own node's.
    else if (nearness === "other-node" || (nearness === "unknown-node" && block.allowed !== noPorts))
      for (const group of to) this.addBeside("ingress", group, from, block);
  }

  /** Pods that stand to one of the hosts as the block says. */
  private addBeside(direction: Direction, pods: EndGroup, hosts: EndGroup, { nearness }: Block): void {
    const nodes = new Set(hosts.classes.flatMap(nodesOf));
    for (const { pods: its } of pods.classes)
      for (const pod of its) {
        const isMeant =
          nearness === "unknown-node" ||
          (nearness === "own-node" ? nodes.has(pod.node) : nodes.size > 1 || !nodes.has(pod.node));
        if (isMeant) this.pods[direction].add(podKey(pod));
      }
  }

  private addClass(direction: Direction, end: EndClass): void {
    if (end.kind === "host" || this.known[direction].has(end)) return;
    this.known[direction].add(end);
    for (const pod of end.pods) this.pods[direction].add(podKey(pod));
  }

  /** A pod that stands for all replicas of its workload talks to others of its kind. */
  private addReplicas(end: EndClass): void {
    if (end.kind === "host" || !end.pods.some(({ fromTemplate }) => fromTemplate)) return;
    const { answers } = this.engine;
    const isOpen = ([4, 6, undefined] as const).some((family) => {
      if (!canTalk(family, end.families, end.families)) return false;
      const answer = this.engine.view(family).pairAnswer(end, end);
      return this.isOpen({ allowed: answers.allowed(answer), undecided: answers.undecided(answer) });
    });
    if (isOpen)
      for (const direction of ["egress", "ingress"] as const)
        for (const pod of end.pods) if (pod.fromTemplate === true) this.pods[direction].add(podKey(pod));
  }
}

const nodesOf = ({ pods, nodes }: EndClass): readonly (string | undefined)[] => [
  ...pods.map((pod) => pod.node),
  ...nodes.map(({ name }) => name),
];
