import type { Family } from "../../net/address.js";
import { type EndClass, type Ends, sizeOf } from "../classes/ends.js";
import { canTalk } from "../classes/talking.js";

/** In how many pairs some subjects meet each column. */
export interface Weights {
  readonly byColumn: Float64Array;
  /** By host, the number of pairs with a pod for which it is unknown whether both are on the same node (S1.6). */
  readonly unplaced: ReadonlyMap<EndClass, number>;
}

/** Counts pairs of pods with all other ends of their cluster, in one address family. */
export class InsideWeights {
  /** By the families of a subject: the members of each class that it can connect to. */
  private readonly talking = new Map<string, Float64Array>();
  private readonly hosts: readonly EndClass[];
  /** By node, the hosts there: each as often as it has members. */
  private readonly hostsOn = new Map<string, EndClass[]>();

  constructor(
    private readonly ends: Ends,
    private readonly family: Family | undefined,
  ) {
    this.hosts = ends.hostClasses.map((index) => ends.classes[index]!);
    for (const host of this.hosts)
      for (const name of [...host.nodes.map((node) => node.name), ...host.pods.map(({ node }) => node)])
        if (name !== undefined) this.hostsOn.set(name, [...(this.hostsOn.get(name) ?? []), host]);
  }

  of(subjects: readonly EndClass[]): Weights {
    const byColumn = new Float64Array(this.ends.columns);
    const unplaced = new Map<EndClass, number>();
    const sizes = new Map<Float64Array, number>();
    for (const subject of subjects) {
      const others = this.talkingTo(subject.families);
      sizes.set(others, (sizes.get(others) ?? 0) + sizeOf(subject));
    }
    for (const [others, pods] of sizes)
      for (let column = 0; column < others.length; column++) byColumn[column]! += pods * others[column]!;
    for (const subject of subjects) {
      // Nothing is counted of a pod and itself.
      if (this.talks(subject, subject)) byColumn[subject.column]! -= sizeOf(subject);
      this.countOwn(subject, byColumn);
      this.countUnplaced(subject, byColumn, unplaced);
    }
    return { byColumn, unplaced };
  }

  /** Pairs on one node belong to the column of a host as it is seen from there. */
  private countOwn(subject: EndClass, byColumn: Float64Array): void {
    for (const { node } of subject.pods)
      for (const host of node === undefined ? [] : (this.hostsOn.get(node) ?? [])) {
        if (!this.talks(subject, host)) continue;
        byColumn[host.column]!--;
        byColumn[host.ownColumn]!++;
      }
  }

  private countUnplaced(subject: EndClass, byColumn: Float64Array, unplaced: Map<EndClass, number>): void {
    for (const host of this.hosts) {
      if ((subject.placed && host.placed) || !this.talks(subject, host)) continue;
      const pairs = sizeOf(subject) * sizeOf(host);
      byColumn[host.column]! -= pairs;
      unplaced.set(host, (unplaced.get(host) ?? 0) + pairs);
    }
  }

  private talks(a: EndClass, b: EndClass): boolean {
    return canTalk(this.family, a.families, b.families);
  }

  private talkingTo(families: readonly Family[]): Float64Array {
    const known = this.talking.get(families.join());
    if (known !== undefined) return known;
    const made = new Float64Array(this.ends.columns);
    for (const end of this.ends.classes)
      if (canTalk(this.family, families, end.families)) made[end.column] = sizeOf(end);
    this.talking.set(families.join(), made);
    return made;
  }
}
