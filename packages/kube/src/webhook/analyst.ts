import { consequencesOf, precedenceOf, type Readable, Reader, type Unread } from "@tierwall/core/analysis";
import type { ChangedBlock } from "@tierwall/core/engine";
import type { JsonObject } from "@tierwall/core/manifest";
import { consequenceWarnings, type EditWarning, precedenceWarnings } from "@tierwall/core/report";
import { caveatsOfAll, keyOf, type LiveOptions, LiveState, type Moment } from "@tierwall/core/state";
import { asManifest } from "../cluster/cluster-object.js";
import { textAt } from "../cluster/object-fields.js";
import { hasSameMeaning } from "../cluster/same-meaning.js";
import type { Follower } from "../cluster/cluster-source.js";
import { namesOfForeign } from "../cluster/foreign-kinds.js";
import { guaranteeKind, policyKinds } from "../cluster/kinds.js";
import { LiveEngine } from "../controller/live-engine.js";
import { situationOf } from "../cluster/situation.js";
import { type Affected, ClusterGuarantees } from "../guarantees/cluster-guarantees.js";
import { type GuaranteeAnswer, keyOfPolicy } from "../guarantees/guarantee-answer.js";

/** A change of a policy that a user requests: `object` replaces it, or without `object` it is deleted. */
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

/** What is analysed, in this order: what users need most comes first. */
export const stages = ["connections", "precedence"] as const;
export type Stage = (typeof stages)[number];

export interface Found {
  readonly stage: Stage;
  readonly warnings: readonly EditWarning[];
  /** What was not named, because the user may not read it. */
  readonly unread: readonly Unread[];
}

/**
 * Follows a cluster with an engine of its own, and determines what edits would do by applying them to that engine.
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
  private readonly guarantees: ClusterGuarantees;

  constructor(options: LiveOptions = {}) {
    this.live = new LiveState({ ...options, provenance: "cluster" });
    this.guarantees = new ClusterGuarantees(() => this.live.state(), options);
  }

  set(object: JsonObject): void {
    const key = this.live.set(asManifest(object));
    const known = this.policies.get(key);
    const isSame = known !== undefined && hasSameMeaning(known, object);
    if (object.kind === guaranteeKind.kind) this.guarantees.set(key, object);
    else if (!isSame && !inventoryKinds.has(textAt(object, "kind")))
      this.guarantees.policyChanged(key, object);
    if (policyKinds.some(({ kind }) => kind === object.kind)) this.policies.set(key, object);
  }

  remove(key: string): void {
    const [, kind = ""] = key.split(" ");
    if (!this.guarantees.remove(key) && !inventoryKinds.has(kind))
      this.guarantees.policyChanged(key, undefined);
    this.policies.delete(key);
    this.live.remove(key);
  }

  /** Guarantees that an edit would break. */
  check({ key, object }: PolicyEdit, deadline: number): readonly Affected[] {
    const edit = object === undefined ? { key } : { key, object };
    return this.guarantees.check(edit, this.live.moment().cluster, deadline);
  }

  /** Whether a guarantee of the cluster holds; undefined where there is none of this key. */
  holds(key: string, deadline: number): GuaranteeAnswer | undefined {
    return this.guarantees.now(key, this.live.moment().cluster, deadline);
  }

  /** Decides one guarantee that is not decided yet, so that the next edit does not wait for it. False: all are decided. */
  decideNext(): boolean {
    return this.guarantees.decideNext(this.live.moment().cluster);
  }

  /** Whether a guarantee would hold that is not in the cluster yet. */
  wouldHold(object: JsonObject, deadline: number): ReturnType<ClusterGuarantees["tried"]> {
    return this.guarantees.tried(object, this.live.moment().cluster, deadline);
  }

  /** Brings the engine to where the cluster is, so that the next edit costs only what it touches itself. */
  catchUp(): void {
    const moment = this.live.moment();
    const { situation } = this.engine;
    if (situation?.cluster === moment.cluster && situation.tiers === moment.tiers) return;
    // What needs a full compilation is compiled separately: its changes are not needed here.
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
      // The state of an engine that failed is not known.
      this.engine = new LiveEngine();
      throw cause;
    } finally {
      const was = this.policies.get(key);
      if (was === undefined) this.live.remove(key);
      else this.live.set(asManifest(was));
    }
  }
}

/** Kinds that guarantees are not about: what they mean in a cluster depends on its policies only. */
const inventoryKinds: ReadonlySet<string> = new Set(["Namespace", "Node", "Pod", "Service", "EndpointSlice"]);

/** S9.7: what is found holds where the policies of other projects leave it to ours. They are not named: the user may not be able to read them. */
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
