import type { Logger } from "pino";
import type { DnsEvent } from "../dns/event.js";
import type { AgentMetrics } from "../see/metrics.js";

/** Counts what the DNS proxy does. */
export class DnsCounts {
  queries = 0;
  addresses = 0;

  constructor(
    private readonly metrics: AgentMetrics,
    private readonly log: Pick<Logger, "warn">,
  ) {}

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
      case "ignored":
        metrics.dnsIgnored.inc({ reason: event.reason });
        break;
      case "trouble":
        this.log.warn(`names: ${event.message}`);
        break;
    }
  }
}
