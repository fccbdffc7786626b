import type { Logger } from "pino";
import type { DnsEvent } from "../dns/event.js";
import type { AgentMetrics } from "../observe/metrics.js";

/** Counts and logs the events of the DNS proxy. */
export class DnsCounts {
  queries = 0;
  addresses = 0;
  #insideLogged = Number.NEGATIVE_INFINITY;
  #insideNotLogged = 0;

  constructor(
    private readonly metrics: AgentMetrics,
    private readonly log: Pick<Logger, "warn">,
  ) {}

  /** The owner of a name can cause this at any rate, so it is logged at most once per minute. */
  #logInside({ pod, name, address, inside }: Extract<DnsEvent, { kind: "inside" }>): void {
    if (performance.now() - this.#insideLogged < 60_000) {
      this.#insideNotLogged += 1;
      return;
    }
    const more = this.#insideNotLogged === 0 ? {} : { more: this.#insideNotLogged };
    this.#insideLogged = performance.now();
    this.#insideNotLogged = 0;
    this.log.warn(
      { pod, name, address, inside, ...more },
      "a domain name resolved to an address inside the cluster; it stays denied",
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
        this.#logInside(event);
        break;
      case "ignored":
        metrics.dnsIgnored.inc({ reason: event.reason });
        break;
      case "trouble":
        this.log.warn(`domain names: ${event.message}`);
        break;
    }
  }
}
