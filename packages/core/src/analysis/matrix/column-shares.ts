import { noPorts, type PortSetId, type PortSets } from "../../engine/port-sets.js";

/** Ports that somebody allowed and denied, by column. Used again for one subject after the other, as there are thousands. */
export class ColumnShares {
  private readonly allowed: Uint32Array;
  private readonly denied: Uint32Array;
  /** The columns at which there is anything. */
  readonly columns: number[] = [];

  constructor(
    private readonly ports: PortSets,
    count: number,
  ) {
    this.allowed = new Uint32Array(count);
    this.denied = new Uint32Array(count);
  }

  clear(): void {
    for (const column of this.columns) this.allowed[column] = this.denied[column] = noPorts;
    this.columns.length = 0;
  }

  add(column: number, allowed: PortSetId, denied: PortSetId): void {
    if (allowed === noPorts && denied === noPorts) return;
    if (this.allowed[column] === noPorts && this.denied[column] === noPorts) this.columns.push(column);
    this.allowed[column] = this.ports.union(this.allowed[column]!, allowed);
    this.denied[column] = this.ports.union(this.denied[column]!, denied);
  }

  allowedAt(column: number): PortSetId {
    return this.allowed[column]!;
  }

  deniedAt(column: number): PortSetId {
    return this.denied[column]!;
  }
}
