import { getOrInsert } from "../../collections/maps.js";
import type { ChangedPart, PartSide } from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import { compareText } from "../../policy/assemble.js";
import type { Party } from "../endpoints/party.js";
import type { Total } from "./changes.js";
import type { PairShare } from "./part-shares.js";

/** Counts connections by what they become, each once. */
export class Totals {
  private readonly counts = {
    Allow: new Map<string, number>(),
    Deny: new Map<string, number>(),
    Undecided: new Map<string, number>(),
  };
  /** A pod and what is outside are one connection, however many ranges change. */
  private readonly seen = new Map<object, Set<string>>();

  constructor(private readonly parties: readonly Party[]) {}

  add(verdict: Verdict, part: ChangedPart, shares: readonly PairShare[]): void {
    if (!this.isNew(verdict, part)) return;
    const counts = this.counts[verdict];
    for (const { from, connections } of shares) {
      const source = from === undefined ? "outside" : sourceOf(this.parties[from]!);
      counts.set(source, (counts.get(source) ?? 0) + connections);
    }
  }

  all(): Readonly<Record<Verdict, Total>> {
    return { Allow: this.of("Allow"), Deny: this.of("Deny"), Undecided: this.of("Undecided") };
  }

  private of(verdict: Verdict): Total {
    const bySource = new Map(
      [...this.counts[verdict]].toSorted((a, b) => b[1] - a[1] || compareText(a[0], b[0])),
    );
    return { connections: [...bySource.values()].reduce((sum, n) => sum + n, 0), bySource };
  }

  private isNew(verdict: Verdict, { from, to, family }: ChangedPart): boolean {
    const inside = (side: PartSide, other: PartSide) =>
      side.kind === "class" && other.kind === "external" ? side.joint : undefined;
    const joint = inside(from, to) ?? inside(to, from);
    if (joint === undefined) return true;
    const seen = getOrInsert(this.seen, joint, () => new Set());
    const key = `${verdict} ${to.kind} ${family}`;
    return !seen.has(key) && seen.add(key).has(key);
  }
}

function sourceOf(party: Party): string {
  switch (party.kind) {
    case "pod":
    case "workload":
      return party.namespace;
    case "namespace":
      return party.name;
    case "node":
      return "nodes";
  }
}
