import type { AnswerId } from "../compile/answers.js";
import type { EndGroup } from "./end-groups.js";
import type { Nearness, Other } from "../compile/layer.js";

/** Finds the answers for all pairs of ends with a pod among them. */
export interface Sweep {
  /** Groups of pods, in the order in which they are best asked about. */
  readonly sources: readonly EndGroup[];
  /** What is good until the next call. */
  from(source: EndGroup): Outgoing;
  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId;
}

/** What one source may talk to. */
export interface Outgoing {
  /** By group of pods. */
  readonly toPods: Uint32Array;
  /** The groups, by number, to which some port may be open, where these are known to be few. */
  readonly open?: Uint32Array;
  readonly toHost: (host: EndGroup, nearness: Nearness) => AnswerId;
}

export const hostAt = ({ classes }: EndGroup, nearness: Nearness): Other => ({
  kind: "host",
  end: classes[0]!,
  nearness,
});
