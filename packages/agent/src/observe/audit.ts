import { getOrInsert } from "@tierwall/core/state";
import { counterOf, newCounterOf } from "../ruleset/vocabulary.js";
import type { AddressOwners } from "./address-owners.js";
import { type AuditDecider, auditDecider, type AuditLine, auditLine } from "./audit-line.js";
import type { Growth } from "./counts.js";
import { isLogged, verdictText } from "./decider.js";
import type { LoggedPacket } from "./logged-packet.js";
import type { RuleVersions } from "./rule-versions.js";

/** How many decisions of a rule were not logged since the last such line. */
export interface SuppressedLine {
  readonly time: string;
  readonly node: string;
  readonly suppressed: number;
  readonly by: AuditDecider;
}

interface AuditOptions {
  readonly node: string;
  /** The whole node is in shadow mode. */
  readonly shadow: boolean;
  readonly rules: Pick<RuleVersions, "get">;
  readonly ends: AddressOwners;
  readonly write: (line: AuditLine | SuppressedLine) => void;
}

/** Turns the kernel's logs and counters into lines that name pods and rules. */
export class Audit {
  readonly #suppressed = new Suppressed();

  constructor(private readonly options: AuditOptions) {}

  logged(packet: LoggedPacket): void {
    const { id, cut } = packet;
    this.#suppressed.logged(id);
    const decided = { ...this.#decided(id), ...(cut ? { cut } : {}) };
    this.options.write(auditLine(packet, decided, this.options));
  }

  /**
   * Takes what was counted since the previous reading. Logs how much of it was not logged, and returns the sum. For allowed
   * connections only new ones count: others are judged again with each change of the rules, and not logged.
   */
  counted(grown: readonly Growth[]): number {
    this.#suppressed.read(
      new Map(
        grown.flatMap((growth) => {
          const id = loggedId(growth);
          return id === undefined ? [] : [[id, growth.packets]];
        }),
      ),
    );
    let all = 0;
    for (const [id, suppressed] of this.#suppressed.take()) {
      const { by } = this.#decided(id);
      this.options.write({ time: new Date().toISOString(), node: this.options.node, suppressed, by });
      all += suppressed;
    }
    this.#suppressed.keep((id) => this.options.rules.get(id) !== undefined || unknownPods.test(id));
    return all;
  }

  #decided(id: string): Decided {
    const entry = this.options.rules.get(id);
    if (entry !== undefined) {
      const { verdict, direction, shadow } = entry;
      return { verdict, direction, ...(shadow ? { shadow } : {}), by: auditDecider(entry) };
    }
    const [, direction] = unknownPods.exec(id) ?? [];
    if (direction === undefined) return { verdict: "Deny", by: { kind: "not-known", id } };
    return {
      verdict: "Deny",
      direction: direction as "ingress" | "egress",
      ...(this.options.shadow ? { shadow: true } : {}),
      by: { kind: "unknown-pod" },
    };
  }
}

type Decided = Parameters<typeof auditLine>[1];

const unknownPods = /^unknown_(ingress|egress)$/;

/** The id in its log lines; undefined if not everything that is counted is logged. */
function loggedId({ name, entry }: Growth): string | undefined {
  if (entry === undefined) return unknownPods.test(name) ? name : undefined;
  const counts = entry.verdict === "Deny" ? counterOf(entry.id) : newCounterOf(entry.id);
  return name === counts && isLogged(entry) ? entry.id : undefined;
}

/** For metrics: `Deny`, `ShadowDeny`, … */
export const lineVerdict = ({ verdict, shadow }: AuditLine): string =>
  verdictText({ verdict, shadow: shadow === true });

/**
 * How many decisions were not logged although they should be. The kernel limits the rate of log lines per rule, and loses some
 * under load. Its counters are exact. The difference is what the log does not contain.
 *
 * Lines arrive later than their packets are counted, so lines are compared with the previous reading of counters: its lines have
 * arrived by then. While packets flow, the number lags behind; when they stop, it is exact.
 */
class Suppressed {
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
    return getOrInsert(this.#rules, id, () => ({ counted: 0, settled: 0, lines: 0, reported: 0 }));
  }
}
