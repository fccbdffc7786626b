import type { Inside } from "./inside-addresses.js";
import type { DnsProtocol } from "./redirect.js";

/** What the proxy tells those who count: each is small and carries no text from packets but the asked name. */
export type DnsEvent =
  | { readonly kind: "query"; readonly protocol: DnsProtocol }
  /** A query that was not passed on. */
  | { readonly kind: "refused"; readonly pod: string; readonly reason: Refusal }
  /** An answer that went to the pod. */
  | { readonly kind: "answer"; readonly protocol: DnsProtocol; readonly milliseconds: number }
  /** Elements that were written for answers. */
  | { readonly kind: "learned"; readonly elements: number }
  /** An answer gave a name of a rule an address that is not outside the cluster: it was not learned (S8.4). */
  | {
      readonly kind: "inside";
      readonly pod: string;
      readonly name: string;
      readonly address: string;
      readonly inside: Inside;
    }
  /** A packet to an upstream socket that is not an answer to what was asked there. */
  | { readonly kind: "ignored"; readonly reason: Stray }
  /** The pod got SERVFAIL instead of an answer whose addresses could not be put into the kernel. */
  | { readonly kind: "withheld"; readonly pod: string; readonly name: string; readonly problem: string }
  /** The server did not answer in time. */
  | { readonly kind: "unanswered"; readonly server: string }
  /** Something about sockets or the kernel that will be tried again. */
  | { readonly kind: "trouble"; readonly message: string };

/** Policies deny the server to the pod; the pod has too many queries open; the packet is no query; no socket could be had. */
type Refusal = "not allowed" | "too many" | "malformed" | "no socket";

export type Stray = "malformed" | "not asked" | "another question";

export type OnDnsEvent = (event: DnsEvent) => void;
