import type { Member } from "../../engine/index.js";
import type { PortShare } from "./column-shares.js";

interface Alike extends PortShare {
  readonly others: (readonly Member[])[];
}

/** The other ends of one subject, those together with which the same is decided: there are thousands of them, and few ways. */
export class OthersByPorts {
  private readonly groups = new Map<string, Alike>();

  add(others: readonly Member[], share: PortShare): void {
    const key = `${share.allowed} ${share.denied} ${share.undecided}`;
    const known = this.groups.get(key);
    if (known === undefined) this.groups.set(key, { others: [others], ...share });
    else known.others.push(others);
  }

  all(): Iterable<Alike> {
    return this.groups.values();
  }
}
