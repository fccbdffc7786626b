import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "@tierwall/core/manifest";
import { ApiReader, type Trouble, troubleFrom } from "./api-reader.js";
import { type Connection, linesIn, messageOf } from "./connection.js";
import type { Discovered, Discovery } from "./discovery.js";
import { pathOf, type WatchedKind } from "./kinds.js";
import { listKind } from "./list-kind.js";
import { isEarlier, textAt } from "./object-fields.js";
import { BackgroundTask, Backoff, pause } from "../timing/pause.js";

/** Receives the objects of a kind, with everything that the API server reports about them. */
export interface ReflectorListener {
  /** The key of an object. */
  keyOf(object: JsonObject): string;
  set(kind: WatchedKind, key: string, object: JsonObject): void;
  remove(kind: WatchedKind, key: string): void;
  /** `health` has another state now. */
  healthChanged(kind: WatchedKind): void;
  /** A watch or a list is begun again. */
  restarted?(kind: WatchedKind): void;
}

export interface ReflectorTimes {
  /** A watch without events for this long is restarted; servers send a bookmark about once a minute. */
  readonly idleMilliseconds: number;
  /** How often kinds that are not served, or not allowed, are asked for again. */
  readonly absentMilliseconds: number;
  readonly firstPauseMilliseconds: number;
  readonly longestPauseMilliseconds: number;
  /** Servers are asked to end a watch after one to two times this long, so that not all watches restart at once. */
  readonly watchSeconds?: number;
}

export const usualTimes: ReflectorTimes = {
  idleMilliseconds: 90_000,
  absentMilliseconds: 10_000,
  firstPauseMilliseconds: 200,
  longestPauseMilliseconds: 30_000,
};

export interface KindHealth {
  /** `listing` until the first list is in; `failing` keeps what was known, and tries again. */
  readonly state: "listing" | "synced" | "missing" | "forbidden" | "failing";
  /** Whether there is anything to go by: a list, or the word of the server that the kind is not served. */
  readonly isKnown: boolean;
  /** The latest error of the API server or of the network; only while something is wrong. */
  readonly message?: string;
  /** Since when it is `failing`; milliseconds since 1970. */
  readonly since?: number;
  /** When something was received last, including bookmarks; milliseconds since 1970. */
  readonly lastEvent?: number;
}

/** A kind that the cluster does not serve has no objects, and that is known. */
export const isReadable = ({ state }: Pick<KindHealth, "state">): boolean =>
  state === "synced" || state === "missing";

/** Milliseconds within which kinds that are listed for the first time share what is known about the server. */
const firstTogether = 1000;
/** Milliseconds; one that ends sooner has failed. */
const shortestWatch = 1000;
const usualWatchSeconds = 290;
/** Every watch breaks off one day, and is renewed: nothing is failing before that has failed, too. */
const failuresThatCount = 2;

/**
 * Keeps a listener informed about all objects of a kind: lists them, watches from there, and starts over where the watch
 * cannot go on.
 *
 *   list ──► watch ──► watch again from the last version seen (server ended it, connection lost, 429, 5xx)
 *     ▲        └─ 410 Gone, or a version later than the latest: list
 *     └──────── 404, 403: ask again later
 */
export class Reflector extends BackgroundTask {
  private readonly reader: ApiReader;
  private readonly backoff: Backoff;
  /** Of all objects there are. */
  private readonly keys = new Set<string>();
  /** The version from which the watch continues; absent: a list is needed. */
  private version: string | undefined;
  private served: string;
  /** Something went wrong since the version was seen. */
  private isDoubtful = false;
  /** How often in a row the kind was reported as not served, where it was served before. */
  private absences = 0;
  /** In a row, and since when. */
  private failures = 0;
  private failingSince: number | undefined;
  private current: KindHealth = { state: "listing", isKnown: false };

  constructor(
    readonly kind: WatchedKind,
    connection: Connection,
    private readonly listener: ReflectorListener,
    private readonly times: ReflectorTimes = usualTimes,
    /** Where kinds that are not built in are looked up. */
    private readonly discovery?: Discovery,
  ) {
    super();
    const { idleMilliseconds } = times;
    this.reader = new ApiReader(connection, { idleMilliseconds, signal: this.stopping.signal });
    this.served = kind.versions[0] ?? "";
    this.backoff = new Backoff(times.firstPauseMilliseconds, times.longestPauseMilliseconds);
  }

  get health(): KindHealth {
    return this.current;
  }

  protected override async run(): Promise<void> {
    while (!this.isStopped) {
      const trouble = await this.listOrWatch();
      if (this.isStopped) return;
      if (trouble === undefined) continue;
      await pause(this.deal(trouble), this.stopping.signal);
      this.listener.restarted?.(this.kind);
    }
  }

  private async listOrWatch(): Promise<Trouble | undefined> {
    try {
      if (this.version === undefined) return await this.list();
      return (
        (this.isDoubtful ? await this.checkVersion(this.version) : undefined) ??
        (await this.watch(this.version))
      );
    } catch (cause) {
      return { kind: "failed", message: messageOf(cause) };
    }
  }

  /** Notes what went wrong. Gives back how long to wait. */
  private deal(trouble: Trouble): number {
    const { message } = trouble;
    switch (trouble.kind) {
      case "missing":
        this.version = undefined;
        if (!this.isBelieved()) return this.deal({ kind: "failed", message });
        this.keepOnly(new Set());
        this.be({ state: "missing", isKnown: true, message });
        return this.times.absentMilliseconds;
      case "forbidden":
        // What was known stays: a role that was taken away must not take policies with it.
        this.version = undefined;
        this.be({ state: "forbidden", message });
        return this.times.absentMilliseconds;
      case "expired":
        this.version = undefined;
        return this.backoff.next();
      case "failed":
        this.isDoubtful = true;
        this.failingSince ??= Date.now();
        // The first list of a foreign kind is not waited for.
        if (!this.current.isKnown && this.kind.isOptional !== true) this.be({ state: "listing", message });
        else if (++this.failures >= failuresThatCount || !this.current.isKnown)
          this.be({ state: "failing", message, since: this.failingSince });
        return Math.max(this.backoff.next(), (trouble.retryAfterSeconds ?? 0) * 1000);
    }
  }

  /** A server that is just starting must not make policies vanish: that a kind is no longer served must be reported twice. */
  private isBelieved(): boolean {
    const { isKnown, state } = this.current;
    return !this.kind.isBuiltIn && (!isKnown || state === "missing" || ++this.absences > 1);
  }

  private async list(): Promise<Trouble | undefined> {
    const discovered = await this.discovered();
    const isStillMissing = this.current.state === "missing" && discovered !== undefined;
    if (isStillMissing && "served" in discovered && discovered.served.versionsOf(this.kind).length === 0)
      return { kind: "missing", message: this.current.message ?? "not served" };
    const listed = new Set<string>();
    const found = await listKind(this.kind, discovered, this.reader, {
      begin: () => listed.clear(),
      take: (object) => listed.add(this.set(object)),
    });
    if ("trouble" in found) return found.trouble;
    this.served = found.served;
    this.version = found.version;
    this.isDoubtful = false;
    this.keepOnly(listed);
    this.heard();
    return undefined;
  }

  /** Many kinds ask at once when a process starts, and again and again for what is missing: one answer is for all of them. */
  private async discovered(): Promise<Discovered | undefined> {
    if (this.kind.isBuiltIn) return undefined;
    const { isKnown, state } = this.current;
    const age = state === "missing" ? this.times.absentMilliseconds / 2 : isKnown ? 0 : firstTogether;
    return this.discovery?.served(age);
  }

  /**
   * A server whose data was restored from an earlier time sends nothing to watches from a later one. So where a watch
   * broke, or was silent, the latest version decides whether to continue.
   */
  private async checkVersion(seen: string): Promise<Trouble | undefined> {
    const answer = await this.reader.read(`${pathOf(this.kind, this.served)}?limit=1`);
    if ("trouble" in answer) return answer.trouble;
    const latest = textAt(answer.body, "metadata", "resourceVersion");
    if (isEarlier(latest, seen))
      return { kind: "expired", message: `version ${seen} is later than the latest, ${latest}` };
    this.isDoubtful = false;
    return undefined;
  }

  private async watch(from: string): Promise<Trouble | undefined> {
    const { watchSeconds = usualWatchSeconds } = this.times;
    const seconds = watchSeconds + Math.floor(Math.random() * watchSeconds);
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${from}&timeoutSeconds=${seconds}`;
    const opened = await this.reader.open(`${pathOf(this.kind, this.served)}?${query}`);
    if ("trouble" in opened) return opened.trouble;
    this.be({ state: "synced", isKnown: true });
    const began = performance.now();
    const trouble = await this.follow(opened.response);
    // A server that ends watches at once is not asked again at once.
    if (performance.now() - began < shortestWatch)
      return trouble ?? { kind: "failed", message: "the API server ended the watch immediately" };
    this.succeeded();
    return trouble;
  }

  /** Until the server ends the watch; or what it came to an end by. */
  private async follow(response: IncomingMessage): Promise<Trouble | undefined> {
    try {
      for await (const line of linesIn(response)) {
        const trouble = this.take(JSON.parse(line) as JsonObject);
        if (trouble === undefined) continue;
        response.destroy();
        return trouble;
      }
      return undefined;
    } catch (cause) {
      return { kind: "failed", message: messageOf(cause) };
    }
  }

  private take({ type, object }: JsonObject): Trouble | undefined {
    if (!isObject(object)) return { kind: "failed", message: "a watch event without an object" };
    if (type === "ERROR") return troubleFrom(Number(object.code), object);
    const version = textAt(object, "metadata", "resourceVersion");
    if (type === "ADDED" || type === "MODIFIED") this.set(object);
    if (type === "DELETED") this.remove(this.listener.keyOf(object));
    if (version !== "") this.version = version;
    this.heard();
    return undefined;
  }

  private set(object: JsonObject): string {
    const key = this.listener.keyOf(object);
    this.keys.add(key);
    this.listener.set(this.kind, key, object);
    return key;
  }

  private remove(key: string): void {
    this.keys.delete(key);
    this.listener.remove(this.kind, key);
  }

  private keepOnly(listed: ReadonlySet<string>): void {
    for (const key of this.keys) if (!listed.has(key)) this.remove(key);
  }

  private succeeded(): void {
    this.backoff.reset();
    this.failures = 0;
    this.failingSince = undefined;
  }

  private heard(): void {
    this.succeeded();
    this.absences = 0;
    this.be({ state: "synced", isKnown: true, lastEvent: Date.now() });
  }

  private be(change: Partial<KindHealth>): void {
    const { message: _, since: _since, ...before } = this.current;
    const isOther = change.state !== undefined && change.state !== this.current.state;
    this.current = { ...(change.state === undefined ? this.current : before), ...change };
    if (isOther) this.listener.healthChanged(this.kind);
  }
}
