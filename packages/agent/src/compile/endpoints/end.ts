import type { Endpoint, Family } from "@tierwall/core/model";

/** Addresses that no rule can distinguish as a peer. They share one identity. */
export interface End {
  readonly key: string;
  /** `ambiguous`: it can be one of several endpoints, and it is unknown which (S1.16, S1.17). */
  readonly kind: "pod" | "host" | "external" | "ambiguous";
  /** All properties of a pod or a host that rules use, except its addresses, and the Services of which it is a backend. */
  readonly who: string;
  readonly family: Family;
  /** The blocks that contain its addresses. */
  readonly blocks: string;
  readonly service: string;
  /** One of its endpoints. It may have been removed, but rules do not distinguish the remaining ones from it. */
  sample: Endpoint;
  /** The other endpoints of an ambiguous end; empty for all others. */
  alternatives: readonly Endpoint[];
  members: number;
}
