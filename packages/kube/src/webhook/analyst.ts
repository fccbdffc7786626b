import { consequencesOf, precedenceOf, type Readable, Reader, type Unread } from "@tierwall/core/analysis";
import type { ChangedBlock } from "@tierwall/core/engine";
import type { JsonObject } from "@tierwall/core/manifest";
import type { PolicyRef } from "@tierwall/core/model";
import { consequenceWarnings, type EditWarning, precedenceWarnings } from "@tierwall/core/report";
import { caveatsOfAll, keyOf, type LiveOptions, LiveState, type Moment } from "@tierwall/core/state";
import { asManifest } from "../cluster/cluster-object.js";
import type { Follower } from "../cluster/cluster-source.js";
import { namesOfForeign } from "../cluster/foreign-kinds.js";
import { policyKinds } from "../cluster/kinds.js";
import { LiveEngine } from "../controller/live-engine.js";
import { situationOf } from "../cluster/situation.js";

/** What somebody is about to do to a policy: `object` comes in the place of what was there, or what was there goes. */
export interface PolicyEdit {
  readonly key: string;
  readonly object?: JsonObject;
  /** About how large the object is; absent: small. */
  readonly bytes?: number;
}

export function editOf(object: JsonObject, what: "apply" | "delete"): PolicyEdit {
  const key = keyOf(asManifest(object));
  return what === "delete" ? { key } : { key, object };
}

/** What is looked at, in this order: the first is what people want to know most. */
export const stages = ["connections", "precedence"] as const;
export type Stage = (typeof stages)[number];

export interface Found {
  readonly stage: Stage;
  readonly warnings: readonly EditWarning[];
  /** What was not named, because the reader may not read it. */
  readonly unread: readonly Unread[];
}

/**
 * Follows a cluster with an engine of its own, and finds out what edits would do by doing them to that engine.
 *
 *   set, remove ──► state ──► engine ◄── edit ──► what changed ──► warnings
 *                     ▲                   │
 *                     └── as it was ◄─────┘
 */
export class Analyst implements Follower {
  private readonly live: LiveState;
  private engine = new LiveEngine();
  /** The policies as the cluster holds them: what an edit is undone with. */
  private readonly policies = new Map<string, JsonObject>();

  constructor(options: LiveOptions = {}) {
    this.live = new LiveState({ ...options, provenance: "cluster" });
  }

  set(object: JsonObject): void {
    const key = this.live.set(asManifest(object));
    if (policyKinds.some(({ kind }) => kind === object.kind)) this.policies.set(key, object);
  }

  remove(key: string): void {
    this.policies.delete(key);
    this.live.remove(key);
  }

  /** Brings the engine to where the cluster is, so that the next edit costs only what it touches itself. */
  catchUp(): void {
    const moment = this.live.moment();
    const { situation } = this.engine;
    if (situation?.cluster === moment.cluster && situation.tiers === moment.tiers) return;
    // What all is compiled again for is better compiled by itself: nobody wants to know here what that changes.
    const isSame = (part: "namespaces" | "nodes" | "facts") =>
      situation?.cluster[part] === moment.cluster[part];
    if (!isSame("namespaces") || !isSame("nodes") || !isSame("facts")) this.engine = new LiveEngine();
    this.engine.follow(situationOf(moment, performance.now()));
  }

  /** Stage by stage: a caller that has no time for all of them stops asking. The state is then as it was. */
  *judge({ key, object }: PolicyEdit, readable: Readable): Iterable<Found> {
    const reader = new Reader(readable);
    const found = (stage: Stage, warnings: readonly EditWarning[]): Found => ({
      stage,
      warnings,
      unread: reader.unread,
    });
    try {
      this.catchUp();
      if (object === undefined) this.live.remove(key);
      else this.live.set(asManifest(object));
      const moment = this.live.moment();
      const engine = this.engine.engine!;
      engine.expect(moment.tiers);
      const changed: ChangedBlock[] = [];
      this.engine.follow(situationOf(moment, performance.now()), ({ pairs }) => changed.push(...pairs));
      const consequences = consequenceWarnings(consequencesOf(engine, changed, reader), reader);
      yield found("connections", consequences);
      const applied = object && moment.policies.find((policy) => keyOfPolicy(policy) === key);
      const precedence =
        applied === undefined
          ? []
          : precedenceWarnings(precedenceOf(engine, new Set([applied])), applied, reader);
      yield found("precedence", [
        ...precedence,
        ...(consequences.length === 0 ? [] : foreignWarnings(moment)),
      ]);
    } catch (cause) {
      // Nobody knows what state an engine is in that failed on the way.
      this.engine = new LiveEngine();
      throw cause;
    } finally {
      const was = this.policies.get(key);
      if (was === undefined) this.live.remove(key);
      else this.live.set(asManifest(was));
    }
  }
}

const keyOfPolicy = ({ group, kind, namespace, name }: PolicyRef): string =>
  `${group} ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

/** S9.7: what is found holds where the policies of other projects leave it to ours. They are not named: who asks may not read them. */
function foreignWarnings({ cluster, foreign }: Moment): readonly EditWarning[] {
  const kinds = foreign.map(({ kind }) => kind).filter(({ effect }) => effect.kind === "l3-l4");
  return caveatsOfAll({ cluster, foreign, caveats: [] }).flatMap((caveat) => {
    if (caveat.kind !== "undecided" || caveat.connections === 0) return [];
    const one = caveat.connections === 1;
    const what = `${caveat.connections} ${one ? "connection" : "connections"} between pods`;
    return {
      about: "undecided",
      text: `${what} cannot be decided because of policies of other projects: ${namesOfForeign(kinds)}`,
    } as const;
  });
}
