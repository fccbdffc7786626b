import type { Endpoint, Family } from "@tierwall/core/model";

/** Addresses that no rule can distinguish as the other end of a connection. They share one identity. */
export interface End {
  readonly key: string;
  /** `ambiguous`: it may be one of several ends, and nothing tells which (S1.16, S1.17). */
  readonly kind: "pod" | "host" | "external" | "ambiguous";
  /** All that rules look at in a pod or a host but its addresses, and the Services in front of it. */
  readonly who: string;
  readonly family: Family;
  /** The blocks around its addresses, and the Services in front of it: what else than its kind rules look at. */
  readonly blocks: string;
  readonly service: string;
  /** One of them; it may be gone, but those that are left are the same to all rules. */
  sample: Endpoint;
  /** What else an ambiguous end may be; empty for all others. */
  alternatives: readonly Endpoint[];
  members: number;
}
