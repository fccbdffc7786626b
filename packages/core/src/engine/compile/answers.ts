import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";

/*
 * The answer for connections between two endpoints: which ports are allowed, and which are undecided (S9.1). In most
 * cases everything is known, and an answer is just the number of its set of allowed ports.
 */

export type AnswerId = number;

/** Numbers from here on represent answers with undecided ports. */
const firstOpen = 0x4000000;

export class Answers {
  private readonly open: { readonly allowed: PortSetId; readonly undecided: PortSetId }[] = [];
  private readonly ids = new Map<number, AnswerId>();

  constructor(readonly ports: PortSets) {}

  of(allowed: PortSetId, undecided: PortSetId): AnswerId {
    if (undecided === noPorts) return allowed;
    const key = allowed * firstOpen + undecided;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = firstOpen + this.open.push({ allowed, undecided }) - 1;
    this.ids.set(key, id);
    return id;
  }

  allowed(id: AnswerId): PortSetId {
    return id < firstOpen ? id : this.open[id - firstOpen]!.allowed;
  }

  undecided(id: AnswerId): PortSetId {
    return id < firstOpen ? noPorts : this.open[id - firstOpen]!.undecided;
  }

  /**
   * S1.4: allowed where both allow, denied where one denies. Where both are undecided, they may depend on the same
   * facts (S9.1): `undecidable` returns those of these ports that stay undecided.
   */
  both(a: AnswerId, b: AnswerId, undecidable: (ports: PortSetId) => PortSetId): AnswerId {
    const { ports } = this;
    if (a < firstOpen && b < firstOpen) return ports.intersect(a, b);
    const [allowedA, allowedB] = [this.allowed(a), this.allowed(b)];
    const [openA, openB] = [this.undecided(a), this.undecided(b)];
    const either = ports.union(ports.intersect(openA, allowedB), ports.intersect(openB, allowedA));
    const same = ports.intersect(openA, openB);
    const undecided = same === noPorts ? either : ports.union(either, undecidable(same));
    return this.of(ports.intersect(allowedA, allowedB), undecided);
  }

  /** One of the two holds, and it is unknown which: undecided where they differ. */
  eitherOf(a: AnswerId, b: AnswerId): AnswerId {
    if (a === b) return a;
    const { ports } = this;
    const allowed = ports.intersect(this.allowed(a), this.allowed(b));
    const possible = [a, b].flatMap((id) => [this.allowed(id), this.undecided(id)]);
    return this.of(
      allowed,
      ports.subtract(
        possible.reduce((x, y) => ports.union(x, y)),
        allowed,
      ),
    );
  }
}
