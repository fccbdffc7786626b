import type { Diagnostic, TextSource } from "@tierwall/core";
import type { StateOptions } from "@tierwall/core/state";

/** What the page shows: manifests as they are in files, or the objects of a cluster, written as manifests. */
export interface Shown {
  /** What a person calls it: a path, or the context of a cluster. */
  readonly title: string;
  readonly provenance: "file" | "cluster";
  readonly sources: readonly TextSource[];
  /** What no manifest contains. */
  readonly options: StateOptions;
  /** Why some of the files could not be read: nothing is evaluated without them. */
  readonly unread?: readonly Diagnostic[];
}

/** Provides what the page shows, and reports when it changes. */
export interface StateFeed {
  /** Resolves once there is a state. */
  start(changed: () => void): Promise<void>;
  /** As it is now. A cluster is written only on request. */
  shown(): Shown;
  stop(): Promise<void>;
}
