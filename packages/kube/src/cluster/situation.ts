import type { ForeignKind } from "@tierwall/core/manifest";
import type { Moment } from "@tierwall/core/state";

/**
 * The present state of a cluster. What did not change since the situation before is the same object: pods, rules,
 * tiers. A reader that compares by identity finds quickly what is new.
 */
export interface Situation extends Moment {
  /** Kinds of policies of other projects that the cluster serves and that cannot be read: some may be in force. */
  readonly unreadForeign: readonly ForeignKind[];
  /** When the first of the changes in it was seen, on the clock of `performance.now()`. */
  readonly since: number;
}

/** Knows the state of a cluster, and reports its changes. */
export interface SituationSource {
  /** Resolves once a first situation was given out. `onSituation` is never called while it still runs. */
  start(onSituation: (situation: Situation) => Promise<void> | void): Promise<void>;
  stop(): Promise<void>;
}

const noKinds: Situation["unreadForeign"] = [];

export function situationOf(moment: Moment, since: number, unreadForeign = noKinds): Situation {
  const { cluster, tiers, policies, foreign, podRanges, complaints } = moment;
  return {
    cluster,
    tiers,
    policies,
    foreign,
    podRanges,
    complaints,
    unreadForeign,
    since,
    // Found when they are first asked for.
    get diagnostics() {
      return moment.diagnostics;
    },
  };
}

/** Whether two moments mean the same: events about what is not read here change nothing. */
export function isSameMoment(a: Moment, b: Moment): boolean {
  return (["cluster", "tiers", "policies", "foreign", "podRanges"] as const).every(
    (part) => a[part] === b[part],
  );
}
