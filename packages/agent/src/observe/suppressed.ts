/**
 * How many decisions were not logged although they should be. The kernel limits the rate of log lines per rule, and loses some
 * under load. Its counters are exact. The difference is what the log does not contain.
 *
 * Lines arrive later than their packets are counted, so lines are compared with the previous reading of counters: its lines have
 * arrived by then. While packets flow, the number lags behind; when they stop, it is exact.
 */
export class Suppressed {
  readonly #rules = new Map<string, { counted: number; settled: number; lines: number; reported: number }>();

  /** A line of this rule came. */
  logged(id: string): void {
    this.#rule(id).lines++;
  }

  /** How many packets were counted since the previous reading, by rule; only for rules that are logged. */
  read(grown: ReadonlyMap<string, number>): void {
    for (const rule of this.#rules.values()) rule.settled = rule.counted;
    for (const [id, packets] of grown) this.#rule(id).counted += packets;
  }

  /** By rule, what was not reported before. */
  take(): ReadonlyMap<string, number> {
    const fresh = new Map<string, number>();
    for (const [id, rule] of this.#rules) {
      const missing = rule.settled - rule.lines;
      if (missing <= rule.reported) continue;
      fresh.set(id, missing - rule.reported);
      rule.reported = missing;
    }
    return fresh;
  }

  /** Forgets rules that no longer exist. */
  keep(isLeft: (id: string) => boolean): void {
    for (const id of this.#rules.keys()) if (!isLeft(id)) this.#rules.delete(id);
  }

  #rule(id: string) {
    const rule = this.#rules.get(id) ?? { counted: 0, settled: 0, lines: 0, reported: 0 };
    this.#rules.set(id, rule);
    return rule;
  }
}
