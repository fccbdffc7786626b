import type { Diagnostic, TextSource } from "@tierwall/core";
import type { StateOptions } from "@tierwall/core/state";

/** What there is to see: manifests as they stand in files, or what a cluster holds, written down. */
export interface Shown {
  /** What a person calls it: a path, or the context of a cluster. */
  readonly title: string;
  readonly provenance: "file" | "cluster";
  readonly sources: readonly TextSource[];
  /** What no manifest tells. */
  readonly options: StateOptions;
  /** Why some of the files could not be read: nothing is evaluated without them. */
  readonly unread?: readonly Diagnostic[];
}

/** Something that knows what there is to see, and says when it is something else. */
export interface StateFeed {
  /** Resolves once there is something to see. */
  start(changed: () => void): Promise<void>;
  /** As it is now. A cluster is written down only when somebody asks. */
  shown(): Shown;
  stop(): Promise<void>;
}
