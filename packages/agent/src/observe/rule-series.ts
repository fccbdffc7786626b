import type { ServiceMetrics } from "@tierwall/kube/service";
import type { Counter, Gauge } from "prom-client";
import type { Count } from "../kernel/counters.js";
import type { Growth, Sum } from "./counts.js";
import { type Decider, policyText, verdictText } from "./decider.js";

type Labels = Record<(typeof labelNames)[number], string>;
const labelNames = ["policy", "rule", "direction", "verdict"] as const;

/** The value of `policy` for rules without their own series. */
const others = "(others)";

/**
 * Packets and bytes by rule, for Prometheus. The number of series is limited: a series is expensive for Prometheus, and a user who
 * can create policies must not be able to overload it. Rules keep their series for as long as they are in the table; rules
 * without a series are summed up by direction and verdict.
 */
export class RuleSeries {
  readonly #packets: Counter<keyof Labels>;
  readonly #bytes: Counter<keyof Labels>;
  readonly #left: Gauge;
  readonly #own = new Map<string, Labels>();

  constructor(
    metrics: ServiceMetrics,
    private readonly limit: number,
  ) {
    this.#packets = metrics.counter(
      "tierwall_rule_packets_total",
      "Packets that a rule matched; of allowed connections, only those that were evaluated",
      labelNames,
    );
    this.#bytes = metrics.counter(
      "tierwall_rule_bytes_total",
      "Bytes of the packets that a rule matched",
      labelNames,
    );
    this.#left = metrics.gauge(
      "tierwall_rules_without_series",
      `Rules that are counted as policy="${others}", because there are more than ${limit}`,
    );
  }

  /** Returns how many rules have no series. */
  update(present: ReadonlyMap<string, Sum>, grown: readonly Growth[]): number {
    this.#release(present);
    const opened = new Set<string>();
    let left = 0;
    for (const [name, sum] of present) {
      if (sum.decider === undefined || this.#own.has(name)) continue;
      if (this.#own.size >= this.limit) {
        left++;
        continue;
      }
      const labels = labelsOf(sum.decider);
      this.#own.set(name, labels);
      // Two rules can have the same labels, such as one rule before and after an edit: they share the series.
      this.#add(labels, sum);
      opened.add(name);
    }
    for (const growth of grown) {
      const decider = present.get(growth.name)?.decider;
      // A new series starts with the sum, which includes this growth.
      if (decider === undefined || opened.has(growth.name)) continue;
      this.#add(this.#own.get(growth.name) ?? { ...labelsOf(decider), policy: others, rule: "" }, growth);
    }
    this.#left.set(left);
    return left;
  }

  #release(present: ReadonlyMap<string, Sum>): void {
    for (const [name, labels] of this.#own) {
      const decider = present.get(name)?.decider;
      if (decider !== undefined && isSame(labels, labelsOf(decider))) continue;
      this.#own.delete(name);
      if ([...this.#own.values()].some((used) => isSame(used, labels))) continue;
      this.#packets.remove(labels);
      this.#bytes.remove(labels);
    }
  }

  #add(labels: Labels, { packets, bytes }: Count): void {
    this.#packets.inc(labels, packets);
    this.#bytes.inc(labels, bytes);
  }
}

function labelsOf(decider: Decider): Labels {
  return {
    policy: policyText(decider),
    rule: decider.rule,
    direction: decider.direction,
    verdict: verdictText(decider),
  };
}

const isSame = (a: Labels, b: Labels) => labelNames.every((label) => a[label] === b[label]);
