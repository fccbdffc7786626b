import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/** Ports by what becomes of them. */
export interface PortShare {
  readonly allowed: PortSetId;
  readonly denied: PortSetId;
  /** S9.3: only foreign objects leave ports undecided here. */
  readonly undecided: PortSetId;
}

export const noShare: PortShare = { allowed: noPorts, denied: noPorts, undecided: noPorts };

export const isNothing = ({ allowed, denied, undecided }: PortShare): boolean =>
  allowed === noPorts && denied === noPorts && undecided === noPorts;

export const sumOf = (ports: PortSets, a: PortShare, b: PortShare): PortShare => ({
  allowed: ports.union(a.allowed, b.allowed),
  denied: ports.union(a.denied, b.denied),
  undecided: ports.union(a.undecided, b.undecided),
});

/** The shares of a tier or a policy by column. Used again for one subject after the other, as there are thousands. */
export class ColumnShares {
  private readonly allowed: Uint32Array;
  private readonly denied: Uint32Array;
  private readonly undecided: Uint32Array;
  /** The columns at which there is anything. */
  readonly columns: number[] = [];

  constructor(
    private readonly ports: PortSets,
    count: number,
  ) {
    this.allowed = new Uint32Array(count);
    this.denied = new Uint32Array(count);
    this.undecided = new Uint32Array(count);
  }

  clear(): void {
    for (const column of this.columns)
      this.allowed[column] = this.denied[column] = this.undecided[column] = noPorts;
    this.columns.length = 0;
  }

  add(column: number, allowed: PortSetId, denied: PortSetId, undecided: PortSetId = noPorts): void {
    if (allowed === noPorts && denied === noPorts && undecided === noPorts) return;
    if (isNothing(this.at(column))) this.columns.push(column);
    this.allowed[column] = this.ports.union(this.allowed[column]!, allowed);
    this.denied[column] = this.ports.union(this.denied[column]!, denied);
    this.undecided[column] = this.ports.union(this.undecided[column]!, undecided);
  }

  at(column: number): PortShare {
    return {
      allowed: this.allowed[column]!,
      denied: this.denied[column]!,
      undecided: this.undecided[column]!,
    };
  }
}
