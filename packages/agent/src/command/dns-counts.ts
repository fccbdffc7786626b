import type { Logger } from "pino";
import type { DnsEvent } from "../dns/event.js";
import type { AgentMetrics } from "../observe/metrics.js";

/** Counts what the DNS proxy does. */
export class DnsCounts {
  queries = 0;
  addresses = 0;
  #insideSaid = Number.NEGATIVE_INFINITY;
  #insideUnsaid = 0;

  constructor(
    private readonly metrics: AgentMetrics,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /** Whoever owns a name chooses how often: the log gets a line a minute. */
  #sayInside({ pod, name, address, inside }: Extract<DnsEvent, { kind: "inside" }>): void {
    if (performance.now() - this.#insideSaid < 60_000) {
      this.#insideUnsaid += 1;
      return;
    }
    const more = this.#insideUnsaid === 0 ? {} : { more: this.#insideUnsaid };
    this.#insideSaid = performance.now();
    this.#insideUnsaid = 0;
    this.log.warn(
      { pod, name, address, inside, ...more },
      "a domain name resolved to an address that is not outside the cluster; it stays denied",
    );
  }

  take(event: DnsEvent): void {
    const { metrics } = this;
    switch (event.kind) {
      case "query":
        this.queries++;
        metrics.dnsQueries.inc({ protocol: event.protocol });
        break;
      case "answer":
        metrics.dnsAnswers.inc({ outcome: "answered" });
        metrics.dnsSeconds.observe(event.milliseconds / 1000);
        break;
      case "refused":
        metrics.dnsAnswers.inc({ outcome: event.reason });
        break;
      case "unanswered":
        metrics.dnsAnswers.inc({ outcome: "unanswered" });
        break;
      case "withheld":
        metrics.dnsAnswers.inc({ outcome: "withheld" });
        this.log.warn({ pod: event.pod, name: event.name }, `answer withheld: ${event.problem}`);
        break;
      case "learned":
        this.addresses += event.elements;
        metrics.dnsAddresses.inc(event.elements);
        break;
      case "inside":
        metrics.dnsInside.inc({ inside: event.inside });
        this.#sayInside(event);
        break;
      case "ignored":
        metrics.dnsIgnored.inc({ reason: event.reason });
        break;
      case "trouble":
        this.log.warn(`names: ${event.message}`);
        break;
    }
  }
}
