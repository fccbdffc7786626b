import type { Logger } from "pino";
import type { AgentMetrics } from "../observe/metrics.js";
import type { Inside } from "./reach.js";
import type { DnsProtocol } from "./redirect.js";

/** Events of the proxy, for metrics and logs. Each is small; the only text from packets is the queried name. */
export type DnsEvent =
  | { readonly kind: "query"; readonly protocol: DnsProtocol }
  /** A query that was not forwarded. */
  | { readonly kind: "refused"; readonly pod: string; readonly reason: Refusal }
  /** An answer that was sent to the pod. */
  | { readonly kind: "answer"; readonly protocol: DnsProtocol; readonly milliseconds: number }
  /** Elements that were written for answers. */
  | { readonly kind: "learned"; readonly elements: number }
  /** An answer resolved a name in a rule to an address inside the cluster: it was not learned (S8.4). */
  | {
      readonly kind: "inside";
      readonly pod: string;
      readonly name: string;
      readonly address: string;
      readonly inside: Inside;
    }
  /** A packet to an upstream socket that is not an answer to a query of this socket. */
  | { readonly kind: "ignored"; readonly reason: Stray }
  /** The pod got SERVFAIL, because the addresses of the answer could not be written to the kernel. */
  | { readonly kind: "withheld"; readonly pod: string; readonly name: string; readonly problem: string }
  /** The server did not answer in time. */
  | { readonly kind: "unanswered"; readonly server: string }
  /** A problem with sockets or the kernel. The operation will be retried. */
  | { readonly kind: "trouble"; readonly message: string };

/** Policies deny the connection to the server; too many open queries; not a query; no socket available. */
type Refusal = "not allowed" | "too many" | "malformed" | "no socket";

export type Stray = "malformed" | "not asked" | "another question";

export type OnDnsEvent = (event: DnsEvent) => void;

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
