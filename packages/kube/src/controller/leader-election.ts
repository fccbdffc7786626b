import { isObject, type JsonObject } from "@tierwall/core/manifest";
import { type Connection, messageOf } from "../cluster/connection.js";
import { BackgroundTask, pause } from "../timing/pause.js";
import { textAt, valueAt } from "../cluster/object-fields.js";
import { SharedObject } from "../cluster/shared-object.js";

interface ElectionOptions {
  readonly namespace: string;
  readonly lease: string;
  /** The identity of this process: different for each start. */
  readonly identity: string;
  /** How long other replicas wait after our last renewal; milliseconds. */
  readonly duration: number;
}

/** Checked before each write: it holds while this replica leads, and not a moment longer. */
export interface Leadership {
  /** Aborted when we do not lead any more. */
  readonly signal: AbortSignal;
  /** By the clock: timers may be late, where the process was stopped or the machine asleep. */
  readonly holds: () => boolean;
}

interface ElectionListener {
  onLead(leadership: Leadership): void;
  /** Called once for each new leader, including this replica. */
  onLeader(identity: string): void;
  onTrouble(message: string): void;
}

/**
 * One of several processes leads: the one that holds a Lease. Others take it when it was not renewed for as long as it
 * lasts, which each measures by its own clock from when it saw the last renewal: clocks need not agree.
 *
 *   ask ──► free, or not renewed for too long ──► take ──► renew ──┬─► asked to stop ──► give back
 *    ▲                                              ▲              └─► not renewed in time: lost ──► ask
 *    └── held by another                            └ refused: another was faster
 */
export class LeaderElection extends BackgroundTask {
  private current: { readonly ending: AbortController; renewed: number } | undefined;
  /** The Lease when we last saw it change, and the time of that. */
  private seen: { readonly text: string; readonly at: number } | undefined;
  private reported = "";
  private readonly lease: SharedObject;

  constructor(
    connection: Connection,
    private readonly options: ElectionOptions,
    private readonly listener: ElectionListener,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    const { namespace, lease: name } = options;
    this.lease = new SharedObject(connection, leasesOf(namespace), {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace },
    });
  }

  get isLeading(): boolean {
    return this.current !== undefined && this.holds(this.current.renewed);
  }

  /** Gives the Lease back, so that others need not wait for it to end. */
  override async stop(): Promise<void> {
    await super.stop();
    const led = this.current !== undefined;
    this.lose();
    if (led) await this.release().catch(() => undefined);
  }

  /** We give up a third before others may take over. */
  private holds(renewed: number): boolean {
    return this.now() - renewed < (this.options.duration * 2) / 3;
  }

  protected override async run(): Promise<void> {
    const { signal } = this.stopping;
    const retry = (this.options.duration * 2) / 15;
    while (!signal.aborted) {
      const deadline = this.watchDeadline();
      try {
        await this.attempt();
      } catch (cause) {
        if (!signal.aborted) this.listener.onTrouble(messageOf(cause));
      }
      clearTimeout(deadline);
      // The leader renews at fixed intervals; the others add jitter, so that they do not all ask at once.
      await pause(this.isLeading ? retry : retry * (1 + Math.random() / 5), signal);
    }
  }

  /** Ends leadership in time also while a request hangs. */
  private watchDeadline(): NodeJS.Timeout | undefined {
    if (this.current === undefined) return undefined;
    const left = this.current.renewed + (this.options.duration * 2) / 3 - this.now();
    return setTimeout(() => this.lose(), Math.max(0, left));
  }

  private async attempt(): Promise<void> {
    const began = this.now();
    if (this.current !== undefined && !this.holds(this.current.renewed)) this.lose();
    const lease = await this.lease.read(this.stopping.signal);
    const holder = holderOf(lease);
    if (lease !== undefined) this.see(lease);
    if (holder !== "" && holder !== this.options.identity && !this.isOver(lease!)) {
      this.lose();
      return this.report(holder);
    }
    const isOurs = holder === this.options.identity;
    const spec = this.specAfter(lease, isOurs);
    const written = await this.lease.write(lease, { spec }, this.stopping.signal);
    if (written !== undefined) {
      this.see(written);
      this.lead(began);
    }
    // Another replica was faster; the next attempt shows which.
    else if (!isOurs) this.lose();
  }

  private lead(renewed: number): void {
    if (this.isStopped) return;
    if (this.current !== undefined) {
      this.current.renewed = renewed;
      return;
    }
    const leading = { ending: new AbortController(), renewed };
    this.current = leading;
    this.report(this.options.identity);
    this.listener.onLead({
      signal: leading.ending.signal,
      holds: () => this.current === leading && this.holds(leading.renewed),
    });
  }

  private lose(): void {
    const { current } = this;
    this.current = undefined;
    current?.ending.abort();
  }

  private report(leader: string): void {
    if (this.reported === leader) return;
    this.reported = leader;
    this.listener.onLeader(leader);
  }

  private see(lease: JsonObject): void {
    const text = JSON.stringify(lease.spec);
    if (this.seen?.text !== text) this.seen = { text, at: this.now() };
  }

  private isOver(lease: JsonObject): boolean {
    const seconds = Number(valueAt(lease, "spec", "leaseDurationSeconds"));
    const duration = Number.isFinite(seconds) ? seconds * 1000 : this.options.duration;
    return this.now() - this.seen!.at > duration;
  }

  private specAfter(lease: JsonObject | undefined, isOurs: boolean): JsonObject {
    const { identity, duration } = this.options;
    const before = isObject(lease?.spec) ? lease.spec : {};
    const now = microTime(new Date());
    const transitions = typeof before.leaseTransitions === "number" ? before.leaseTransitions : -1;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      acquireTime: isOurs && before.acquireTime !== undefined ? before.acquireTime : now,
      renewTime: now,
      leaseTransitions: isOurs ? Math.max(0, transitions) : transitions + 1,
    };
  }

  private async release(): Promise<void> {
    const { signal } = new AbortController();
    const lease = await this.lease.read(signal);
    if (lease === undefined || holderOf(lease) !== this.options.identity) return;
    const spec = { ...(lease.spec as JsonObject), holderIdentity: "", leaseDurationSeconds: 1 };
    await this.lease.write(lease, { spec }, signal);
  }
}

export const leasesOf = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

const holderOf = (lease: JsonObject | undefined): string => textAt(lease, "spec", "holderIdentity");

/** Leases have times in microseconds. */
export const microTime = (time: Date): string => `${time.toISOString().slice(0, -1)}000Z`;
