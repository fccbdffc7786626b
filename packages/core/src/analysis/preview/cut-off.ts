import { type Pod, podKey } from "../../cluster/model.js";
import {
  type Block,
  canTalk,
  type ChangedPart,
  type DecidedChange,
  type DecidedDirection,
  type EndClass,
  type EndGroup,
  type EndsInBoth,
  type Engine,
  type PartSide,
  realPorts,
} from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { pairsOf } from "../changes/part-shares.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { Direction } from "../../policy/model.js";
import { type Grain, type Party, partiesOfPods } from "../endpoints/party.js";

/** Pods that could open or accept some connection, and now none. */
export interface CutOff {
  readonly direction: Direction;
  readonly parties: readonly Party[];
  readonly pods: number;
}

/** Collects the pods that lose connections; S1.6: what is always allowed from their own node does not count. */
export class Losers {
  readonly pods = { egress: new Map<string, Pod>(), ingress: new Map<string, Pod>() };

  constructor(private readonly ends: EndsInBoth) {}

  add(part: ChangedPart): void {
    const isLoss = ({ before, after, decided }: DecidedChange) =>
      before === "Allow" && after === "Deny" && !decided.some(isOfOwnNode);
    if (!part.changes.some(isLoss)) return;
    if (part.meant === "all") {
      this.addSide("egress", part.from);
      this.addSide("ingress", part.to);
      return;
    }
    for (const { source, destination } of pairsOf(part, this.ends)) {
      this.addEnd("egress", source.after);
      this.addEnd("ingress", destination.after);
    }
  }

  private addSide(direction: Direction, side: PartSide): void {
    if (side.kind === "class" && side.joint.after.kind === "pod")
      for (const { after } of this.ends.membersOf(side.joint)) this.addEnd(direction, after);
  }

  private addEnd(direction: Direction, end: Endpoint): void {
    if (end.kind === "pod" && !end.pod.hostNetwork) this.pods[direction].set(podKey(end.pod), end.pod);
  }
}

const isOfOwnNode = ({ before }: DecidedDirection): boolean =>
  before.deciders.some(({ kind }) => kind === "own-node");

/** Those without any allowed or undecided connection left. */
export function cutOff(after: Engine, losers: Losers, grain: Grain): readonly CutOff[] {
  if (losers.pods.egress.size + losers.pods.ingress.size === 0) return [];
  const reachable = new Reachable(after);
  return (["egress", "ingress"] as const).flatMap((direction) => {
    const pods = [...losers.pods[direction].values()].filter((pod) => !reachable.has(direction, pod));
    return pods.length === 0 ? [] : { direction, parties: partiesOfPods(pods, grain), pods: pods.length };
  });
}

/** Which pods can open or accept any connection, as far as is known. */
class Reachable {
  private readonly pods = { egress: new Set<string>(), ingress: new Set<string>() };
  private readonly known = { egress: new Set<EndClass>(), ingress: new Set<EndClass>() };
  private readonly groups = new Set<EndGroup>();
  private readonly real: PortSetId;

  constructor(private readonly engine: Engine) {
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
    return ports.intersect(this.real, ports.union(allowed, undecided)) !== noPorts;
  }

  private addBlock(block: Block): void {
    const { nearness } = block;
    if (nearness === undefined) {
      for (const end of block.from.classes) this.addClass("egress", end);
      for (const group of block.to) {
        if (this.groups.has(group)) continue;
        this.groups.add(group);
        for (const end of group.classes) this.addClass("ingress", end);
      }
      return;
    }
    const { from, to } = block;
    if (from.kind === "pod") for (const group of to) this.addNear("egress", from, group, block);
    // If the node of a pod is unknown, an undecided connection may be from its own node.
    else if (nearness === "other-node" || (nearness === "unknown-node" && block.allowed !== noPorts))
      for (const group of to) this.addNear("ingress", group, from, block);
  }

  /** Pods that have the relation of the block to one of the hosts. */
  private addNear(direction: Direction, pods: EndGroup, hosts: EndGroup, { nearness }: Block): void {
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

  /** A pod that represents all replicas of its workload can connect to other replicas. */
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
