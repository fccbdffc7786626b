import type { Member } from "../../engine/ends.js";
import type { PortSetId } from "../../engine/port-sets.js";

interface Alike {
  readonly others: (readonly Member[])[];
  readonly allowed: PortSetId;
  readonly denied: PortSetId;
}

/** The other ends of one subject, those together with which the same is decided: there are thousands of them, and few ways. */
export class OthersByPorts {
  private readonly groups = new Map<PortSetId, Map<PortSetId, Alike>>();

  add(others: readonly Member[], allowed: PortSetId, denied: PortSetId): void {
    let byDenied = this.groups.get(allowed);
    if (byDenied === undefined) this.groups.set(allowed, (byDenied = new Map<PortSetId, Alike>()));
    const known = byDenied.get(denied);
    if (known === undefined) byDenied.set(denied, { others: [others], allowed, denied });
    else known.others.push(others);
  }

  *all(): Iterable<Alike> {
    for (const byDenied of this.groups.values()) yield* byDenied.values();
  }
}
