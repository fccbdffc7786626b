/**
 * How many decisions should have been logged and were not. The kernel limits the rate of log lines by rule, and under
 * load loses some; its counters lose none. The difference is what the log does not show.
 *
 * Lines arrive later than their packets are counted, so lines are compared with the reading of counters before the last:
 * by then those that come at all have come. While packets flow the number lags behind; when they stop it is exact.
 */
export class Suppressed {
  readonly #rules = new Map<string, { counted: number; settled: number; lines: number; told: number }>();

  /** A line of this rule came. */
  logged(id: string): void {
    this.#rule(id).lines++;
  }

  /** So many packets were counted since the reading before, by rule; only of rules that are to be logged. */
  read(grown: ReadonlyMap<string, number>): void {
    for (const rule of this.#rules.values()) rule.settled = rule.counted;
    for (const [id, packets] of grown) this.#rule(id).counted += packets;
  }

  /** By rule, what was not told before. */
  take(): ReadonlyMap<string, number> {
    const fresh = new Map<string, number>();
    for (const [id, rule] of this.#rules) {
      const missing = rule.settled - rule.lines;
      if (missing <= rule.told) continue;
      fresh.set(id, missing - rule.told);
      rule.told = missing;
    }
    return fresh;
  }

  /** Rules that are no more need no account. */
  keep(isLeft: (id: string) => boolean): void {
    for (const id of this.#rules.keys()) if (!isLeft(id)) this.#rules.delete(id);
  }

  #rule(id: string) {
    const rule = this.#rules.get(id) ?? { counted: 0, settled: 0, lines: 0, told: 0 };
    this.#rules.set(id, rule);
    return rule;
  }
}
