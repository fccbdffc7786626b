import type { JsonObject } from "@tierwall/core/manifest";
import { keyOf, type LiveOptions, LiveState, type Moment, type Unseen } from "@tierwall/core/state";
import { ApiReader, type Trouble } from "./api-reader.js";
import { asManifest } from "./cluster-object.js";
import { byName, type ClusterListing, unseenOf } from "./cluster-listing.js";
import type { Connection } from "./connection.js";
import { Delivery, type DeliveryTimes, usualDelivery } from "../timing/delivery.js";
import { Discovery } from "./discovery.js";
import { foreignAmong } from "./foreign-kinds.js";
import { guaranteeKind, resourceOf, type WatchedKind, watchedKinds } from "./kinds.js";
import { type KindHealth, Reflector, type ReflectorTimes, usualTimes } from "./reflector.js";
import { hasSameMeaning } from "./same-meaning.js";
import { isSameMoment, type Situation, situationOf, type SituationSource } from "./situation.js";

export interface ClusterSourceOptions extends Omit<LiveOptions, "provenance"> {
  readonly kinds?: readonly WatchedKind[];
  /**
   * Kinds that we may not read: `wait` for them before the first situation, as policies that are not read would not be
   * enforced; or `go on` without them, which `health` reports.
   */
  readonly whenForbidden?: "wait" | "go on";
  /** Whether `listing` can be asked: objects are not needed for situations, and take memory. */
  readonly keepsObjects?: boolean;
  readonly times?: ReflectorTimes;
  readonly delivery?: DeliveryTimes;
  /** Called for every object that is added or changes, in full, as most of it is not kept; undefined: it is gone. */
  readonly onObject?: (key: string, object: JsonObject | undefined) => void;
  /** Called with what is kept of each object, in the order of the changes. */
  readonly follower?: Follower;
  /** Called when the state of a kind changes. */
  readonly onHealth?: (resource: string, health: KindHealth) => void;
  /** Called when a watch or a list of a kind is started again, also where nothing is wrong. */
  readonly onRestart?: (resource: string) => void;
}

/** Keeps a state of its own, for example in another thread. */
export interface Follower {
  set(object: JsonObject): void;
  /** The key of the object, from `keyOf`. */
  remove(key: string): void;
}

/** The state of a live cluster, as its API server reports it. */
export class ClusterSource implements SituationSource {
  private readonly live: LiveState;
  private readonly stopping = new AbortController();
  private readonly discovery: Discovery;
  private readonly reflectors: ReadonlyMap<WatchedKind, Reflector>;
  /** The objects of each kind by key, with `keepsObjects`. */
  private readonly kept: ReadonlyMap<WatchedKind, Map<string, JsonObject>>;
  /** Kinds that `onHealth` was called about. */
  private readonly mentioned = new Set<WatchedKind>();
  private readonly delivery: Delivery;
  private onSituation: ((situation: Situation) => Promise<void> | void) | undefined;
  private given:
    | Readonly<{
        moment: Moment;
        unseen: string;
        guarantees: number;
        unreadForeign: Situation["unreadForeign"];
      }>
    | undefined;
  /** How often a guarantee changed, with `keepsObjects`: no verdict depends on them, but listings contain them. */
  private guarantees = 0;
  private firstGiven: () => void = () => undefined;

  constructor(
    connection: Connection,
    private readonly options: ClusterSourceOptions = {},
  ) {
    const { kinds = watchedKinds, times = usualTimes, delivery = usualDelivery, ...rest } = options;
    this.live = new LiveState({ ...rest, provenance: "cluster" });
    const { idleMilliseconds } = times;
    const reader = new ApiReader(connection, { idleMilliseconds, signal: this.stopping.signal });
    this.discovery = new Discovery(reader, new Set(kinds.map(({ group }) => group)));
    this.kept = new Map(kinds.map((kind) => [kind, new Map<string, JsonObject>()]));
    this.reflectors = new Map(
      kinds.map((kind) => [kind, new Reflector(kind, connection, this, times, this.discovery)]),
    );
    this.delivery = new Delivery((since) => this.deliver(since), delivery);
  }

  async start(onSituation: (situation: Situation) => Promise<void> | void): Promise<void> {
    this.onSituation = onSituation;
    const first = new Promise<void>((resolve) => (this.firstGiven = resolve));
    for (const reflector of this.reflectors.values()) reflector.start();
    await first;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.reflectors.values()].map(async (reflector) => reflector.stop()));
    await this.delivery.stop();
    this.firstGiven();
  }

  /** By resource: `networkpolicies.networking.k8s.io`. */
  health(): ReadonlyMap<string, KindHealth> {
    return new Map(Array.from(this.reflectors, ([kind, { health }]) => [resourceOf(kind), health]));
  }

  /** All that is there now, as `listCluster` would give it; only with `keepsObjects`. */
  listing(): ClusterListing {
    return {
      objects: [...this.kept.values()].flatMap((objects) => [...objects.values()].toSorted(byName)),
      ...this.unseen,
    };
  }

  /** What the cluster may hold and is not among the objects. */
  private get unseen(): Unseen {
    const results = Array.from(this.reflectors, ([kind, { health }]) => ({
      kind,
      trouble: troubleIn(health),
    }));
    const verdicts = results.filter(({ kind }) => kind !== guaranteeKind);
    return unseenOf(verdicts, this.discovery.latest);
  }

  keyOf(object: JsonObject): string {
    return keyOf(asManifest(object));
  }

  set(kind: WatchedKind, key: string, object: JsonObject): void {
    const kept = kind.keep(object);
    this.live.set(asManifest(kept));
    this.options.onObject?.(key, object);
    this.options.follower?.set(kept);
    if (this.options.keepsObjects === true) {
      const before = this.kept.get(kind)!.get(key);
      // A status that the controller wrote is no change.
      if (kind === guaranteeKind && (before === undefined || !hasSameMeaning(before, kept)))
        this.guarantees++;
      this.kept.get(kind)!.set(key, kept);
    }
    this.delivery.request();
  }

  remove(kind: WatchedKind, key: string): void {
    if (this.kept.get(kind)!.delete(key) && kind === guaranteeKind) this.guarantees++;
    this.live.remove(key);
    this.options.onObject?.(key, undefined);
    this.options.follower?.remove(key);
    this.delivery.request();
  }

  healthChanged(kind: WatchedKind): void {
    const { health } = this.reflectors.get(kind)!;
    // That a cluster does not have an optional kind needs no mention, unless it had it.
    if (kind.isOptional !== true || health.state !== "missing" || this.mentioned.has(kind)) {
      this.mentioned.add(kind);
      this.options.onHealth?.(resourceOf(kind), health);
    }
    // What can be read may be something else now, without any object that came or went.
    this.delivery.request();
  }

  restarted(kind: WatchedKind): void {
    this.options.onRestart?.(resourceOf(kind));
  }

  private get isComplete(): boolean {
    const goesOn = this.options.whenForbidden === "go on";
    return [...this.reflectors.values()].every(
      ({ kind, health }) =>
        health.isKnown ||
        (goesOn && health.state === "forbidden") ||
        (kind.isOptional === true && health.state !== "listing"),
    );
  }

  private async deliver(since: number): Promise<void> {
    const { given, guarantees } = this;
    if (given === undefined && !this.isComplete) return;
    const moment = this.live.moment();
    const { unseen: now } = this;
    const unseen = JSON.stringify(now);
    const sees = given?.unseen === unseen;
    const isKnown = sees && given.guarantees === guarantees && isSameMoment(moment, given.moment);
    if (isKnown) return;
    const unreadForeign = sees ? given.unreadForeign : foreignAmong(now.forbidden);
    this.given = { moment, unseen, guarantees, unreadForeign };
    await this.onSituation?.(situationOf(moment, since, unreadForeign));
    this.firstGiven();
  }
}

function troubleIn({ state, message = "" }: KindHealth): Trouble | undefined {
  if (state === "synced") return undefined;
  return { kind: state === "missing" || state === "forbidden" ? state : "failed", message };
}
