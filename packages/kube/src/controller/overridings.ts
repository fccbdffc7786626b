import type { PolicyEvent } from "./events.js";
import type { Overridden } from "./findings.js";
import type { StoredPolicies } from "./stored-policies.js";

/**
 * Writes Events for the owners of policies in namespaces when a policy of the cluster that was created later, or changed, decides
 * otherwise. What was reported of a version need not be remembered: its condition Shadowed is written after it.
 */
export class Overridings {
  private known: ReadonlySet<string> = new Set();

  constructor(
    private readonly stored: StoredPolicies,
    private readonly writeEvent: (event: PolicyEvent) => void,
  ) {}

  /** All that there are now. */
  report(all: readonly Overridden[]): void {
    const found = new Map<string, Overridden>();
    for (const one of all) {
      const key = `${one.policy.stored?.uid} ${one.by.stored?.uid}`;
      // Where a policy overrides another in several ways, the first is enough.
      if (!found.has(key)) found.set(key, one);
    }
    for (const [key, one] of found) if (!this.known.has(key) && this.isNews(one)) this.reportOne(one);
    this.known = new Set(found.keys());
  }

  private isNews({ policy, by }: Overridden): boolean {
    const [overridden, overriding] = [this.stored.of(policy), this.stored.of(by)];
    if (overridden === undefined || overriding === undefined) return false;
    const { generation } = by.stored!;
    const isReported = overriding.conditions.some(
      ({ type, observedGeneration }) => type === "Shadowed" && observedGeneration === generation,
    );
    const cameLater = overriding.created >= overridden.created || generation > 1;
    return cameLater && !isReported;
  }

  private reportOne({ policy, by, note }: Overridden): void {
    this.writeEvent({
      regarding: policy,
      related: by,
      type: "Warning",
      reason: "Overridden",
      action: "Override",
      note: note(),
    });
  }
}
