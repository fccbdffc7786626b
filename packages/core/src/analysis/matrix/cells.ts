import { getOrInsert } from "../../collections/maps.js";
import { PairMemo } from "../../sets/pair-memo.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { type PortGroup, portGroups } from "./port-groups.js";

/** What the connections of a cell may do, taken together. */
export interface MatrixCell {
  /** What some of the pairs may do. */
  readonly allowed: readonly PortGroup[];
  /** Of this, what all of them may, and what only some may. */
  readonly wholly: readonly PortGroup[];
  readonly partly: readonly PortGroup[];
  /** What is undecided for some, and allowed for none. */
  readonly undecided: readonly PortGroup[];
  /** The rest, where every port was asked about and is the same for all pairs. */
  readonly anyBut?: readonly PortGroup[];
}

/** How ports are treated whose verdict depends on missing information (S9.1). */
export type UndecidedPorts = "show" | "allow" | "deny";

export type CellId = number;

/** A cell without connections. */
export const noPairs: CellId = 0;

/**
 * Sums of answers, each distinct one held once and known by a number. Adding the same again changes nothing, and the order
 * does not matter: pairs may be met in any order, and more than once.
 */
export class MatrixCells {
  private readonly sums = [{ some: noPorts, every: noPorts, open: noPorts }];
  private readonly ids = new Map<string, CellId>();
  private readonly contents = new Map<CellId, MatrixCell>();
  private readonly unions = new PairMemo((a, b) => this.add(a, b));
  private readonly pairs = new PairMemo((allowed, undecided) => this.ofPair(allowed, undecided));

  constructor(
    private readonly ports: PortSets,
    /** The ports that are asked about, and all that there are. */
    private readonly asked: PortSetId,
    private readonly real: PortSetId,
    private readonly undecided: UndecidedPorts,
  ) {}

  /** One pair of endpoints that gets this answer. */
  of(allowed: PortSetId, undecided: PortSetId): CellId {
    return this.pairs.of(allowed, undecided);
  }

  union(a: CellId, b: CellId): CellId {
    if (a === b || b === noPairs) return a;
    if (a === noPairs) return b;
    return a < b ? this.unions.of(a, b) : this.unions.of(b, a);
  }

  /** Whether something is allowed, or may be. */
  isOpen(id: CellId): boolean {
    const { some, open } = this.sums[id]!;
    return some !== noPorts || open !== noPorts;
  }

  /** The same object for the same cell. */
  content(id: CellId): MatrixCell {
    return getOrInsert(this.contents, id, () => {
      const { some, every, open } = this.sums[id]!;
      const groups = (set: PortSetId) => portGroups(this.ports, set, this.real);
      const isPlain = some === every && open === noPorts && this.asked === this.real;
      return {
        allowed: groups(some),
        wholly: groups(every),
        partly: groups(this.ports.subtract(some, every)),
        undecided: groups(open),
        ...(isPlain ? { anyBut: groups(this.ports.subtract(this.real, some)) } : {}),
      };
    });
  }

  private ofPair(allowed: PortSetId, undecided: PortSetId): CellId {
    const { ports } = this;
    const counted = this.undecided === "allow" ? ports.union(allowed, undecided) : allowed;
    const some = ports.intersect(counted, this.asked);
    const open = this.undecided === "show" ? ports.intersect(undecided, this.asked) : noPorts;
    return this.intern(some, some, open);
  }

  private add(a: CellId, b: CellId): CellId {
    const [x, y] = [this.sums[a]!, this.sums[b]!];
    const some = this.ports.union(x.some, y.some);
    const open = this.ports.subtract(this.ports.union(x.open, y.open), some);
    return this.intern(some, this.ports.intersect(x.every, y.every), open);
  }

  private intern(some: PortSetId, every: PortSetId, open: PortSetId): CellId {
    const key = `${some} ${every} ${open}`;
    return getOrInsert(this.ids, key, () => this.sums.push({ some, every, open }) - 1);
  }
}
