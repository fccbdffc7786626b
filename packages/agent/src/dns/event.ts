import type { Inside } from "./inside-addresses.js";
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
