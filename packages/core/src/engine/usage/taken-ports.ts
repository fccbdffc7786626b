import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

export type PortsByCell = Uint32Array<ArrayBuffer>;

/** Who took which ports of each cell. */
export class TakenPorts<Who> {
  /** By cell, the number of its last entry; entries lead to the one before, and 0 is none. */
  private readonly last: Uint32Array;
  private readonly before: number[] = [0];
  private readonly taken: PortSetId[] = [noPorts];
  private readonly who: (Who | undefined)[] = [undefined];

  constructor(
    cells: number,
    private readonly ports: PortSets,
  ) {
    this.last = new Uint32Array(cells);
  }

  add(cell: number, taken: PortSetId, who: Who): void {
    if (taken === noPorts) return;
    this.before.push(this.last[cell]!);
    this.taken.push(taken);
    this.last[cell] = this.who.push(who) - 1;
  }

  /** Adds everything that took some of these ports. */
  note(cell: number, wanted: PortSetId, into: Set<Who>): void {
    for (let at = this.last[cell]!; at !== 0; at = this.before[at]!)
      if (this.ports.intersect(this.taken[at]!, wanted) !== noPorts) into.add(this.who[at]!);
  }

  /** What one of them took. */
  takenBy(cell: number, who: Who): PortSetId {
    let all = noPorts;
    for (let at = this.last[cell]!; at !== 0; at = this.before[at]!)
      if (this.who[at] === who) all = this.ports.union(all, this.taken[at]!);
    return all;
  }
}
