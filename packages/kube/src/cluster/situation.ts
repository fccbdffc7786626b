import type { Diagnostic } from "@tierwall/core";
import type { ForeignKind, ForeignObject } from "@tierwall/core/manifest";
import type { Inventory, PolicyRef, Tiers } from "@tierwall/core/model";
import type { Moment } from "@tierwall/core/state";

/**
 * The present state of a cluster. What did not change since the situation before is the same object: pods, rules,
 * tiers. Who compares by identity finds quickly what is new.
 */
export interface Situation {
  readonly cluster: Inventory;
  readonly tiers: Tiers;
  readonly policies: readonly PolicyRef[];
  /** Addresses that each node gives its pods, from `spec.podCIDRs`; by name of the node. */
  readonly podRanges: ReadonlyMap<string, readonly string[]>;
  /** What was found when each policy was read; only of those of which something was. */
  readonly complaints: ReadonlyMap<PolicyRef, readonly Diagnostic[]>;
  /** All of it, and what shows only when all policies are seen together. */
  readonly diagnostics: readonly Diagnostic[];
  /** Policies of other projects, which are no part of the tiers; of those that were read. */
  readonly foreign: readonly ForeignObject[];
  /** Kinds of such policies that the cluster serves and that cannot be read: some may be in force. */
  readonly unreadForeign: readonly ForeignKind[];
  /** When the first of the changes in it was seen, on the clock of `performance.now()`. */
  readonly since: number;
}

/** Something that knows the state of a cluster, and says when it is another. */
export interface SituationSource {
  /** Resolves once a first situation was given out. `onSituation` is never called while it still runs. */
  start(onSituation: (situation: Situation) => Promise<void> | void): Promise<void>;
  stop(): Promise<void>;
}

const noKinds: Situation["unreadForeign"] = [];

/** What a live state says, and since when. What is wrong with it is found when somebody asks. */
export function situationOf(
  moment: Moment,
  since: number,
  unreadForeign: Situation["unreadForeign"] = noKinds,
): Situation {
  const { cluster, tiers, policies, foreign, podRanges, complaints } = moment;
  return {
    cluster,
    tiers,
    policies,
    podRanges,
    complaints,
    foreign,
    unreadForeign,
    since,
    get diagnostics() {
      return moment.diagnostics;
    },
  };
}

/** Whether two moments mean the same: events about what nobody here looks at change nothing. */
export function isSameMoment(a: Moment, b: Moment): boolean {
  return (["cluster", "tiers", "policies", "foreign", "podRanges"] as const).every(
    (part) => a[part] === b[part],
  );
}
