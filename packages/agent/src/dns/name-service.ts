import { connectionsMarked, forgetQueries, forgetRedirected } from "../kernel/conntrack.js";
import type { NameSet } from "../ruleset/program.js";
import { SourcePorts } from "./source-ports.js";
import type { OnDnsEvent } from "./event.js";
import { defaultLifetimes, LearnedNames, type Lifetimes } from "./learned-names.js";
import { Learner } from "./learner.js";
import { DnsProxy } from "./proxy.js";
import type { Reach } from "./reach.js";
import type { SocketAddress } from "./redirect.js";
import { Redirects } from "./redirects.js";
import type { SetChange } from "../ruleset/set-change.js";
import type { LeftElement } from "../kernel/learned.js";
import { Transactions, type WriteChanges } from "./transactions.js";

interface NameServiceOptions {
  readonly reach: Reach;
  /** Writes to the table that is in force, in one transaction. */
  readonly write: WriteChanges;
  readonly onEvent: OnDnsEvent;
  /** The bit of the connection mark that means: allowed by a name. */
  readonly nameBit: number;
  readonly lifetimes?: Lifetimes;
  /** How often redirections are renewed, and after what time they expire. */
  readonly renewMilliseconds?: number;
  readonly redirectMilliseconds?: number;
}

/**
 * Domain names on a node: redirects DNS queries of pods to which rules with names apply to a proxy, and maintains the sets of
 * addresses that those pods learned.
 *
 *     elementsOf(names) ──► in the transaction that creates the sets, so that nothing is lost with an edit or a new table
 *     use(names, servers) ──► after it: queries go to the proxy, and addresses of answers into the sets
 */
export class NameService {
  readonly #options: Required<NameServiceOptions>;
  readonly #transactions: Transactions;
  readonly #learned: LearnedNames;
  readonly #ports: SourcePorts;
  readonly #proxy: DnsProxy;
  readonly #redirects: Redirects;
  #servers: readonly SocketAddress[] = [];
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> = Promise.resolve();
  #busy = false;
  #keptAt = Number.NEGATIVE_INFINITY;
  #inUse = "";

  constructor(options: NameServiceOptions) {
    this.#options = {
      lifetimes: defaultLifetimes,
      renewMilliseconds: 3000,
      redirectMilliseconds: 10_000,
      ...options,
    };
    const { reach, write, onEvent, lifetimes, redirectMilliseconds } = this.#options;
    this.#transactions = new Transactions(write);
    this.#learned = new LearnedNames(() => performance.now(), lifetimes);
    this.#ports = new SourcePorts(this.#transactions, redirectMilliseconds);
    this.#proxy = new DnsProxy(
      reach,
      this.#ports,
      new Learner(this.#learned, this.#transactions, reach, onEvent),
      onEvent,
    );
    this.#redirects = new Redirects(this.#proxy, reach, redirectMilliseconds, onEvent);
  }

  /** What is in the kernel from an earlier agent. */
  adopt(left: readonly LeftElement[]): void {
    const now = performance.now();
    for (const { set, key, milliseconds } of left) this.#learned.adopt(set, key, now + milliseconds);
  }

  /** All elements that a table with these sets needs from the start. */
  elementsOf(names: readonly NameSet[]): readonly SetChange[] {
    if (names.length === 0) return [];
    return [
      ...this.#learned.elementsOf(names),
      ...this.#redirects.replacement(),
      ...this.#ports.replacement().changes,
    ];
  }

  /**
   * The sets are in the kernel: redirects queries to these servers from now on; without sets, no longer. Verdicts for pods and
   * servers that are not new are looked up at the next renewal.
   */
  async use(names: readonly NameSet[], servers: readonly SocketAddress[]): Promise<void> {
    const inUse = JSON.stringify([names.map(({ fresh, pods }) => [fresh, pods]), servers]);
    if (inUse === this.#inUse) return;
    this.#inUse = inUse;
    const before = this.#redirectable();
    await this.#write(this.#learned.use(names));
    this.#servers = names.length === 0 ? [] : servers;
    if (this.#redirectable() === before) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (names.length > 0)
      this.#timer = setInterval(() => {
        if (!this.#busy) void this.#renewSoon();
      }, this.#options.renewMilliseconds);
    await this.#renewSoon();
  }

  #redirectable(): string {
    const servers = this.#servers.map(({ address, port }) => `${address} ${port}`);
    return [...this.#learned.pods().toSorted(), "", ...servers.toSorted()].join("\n");
  }

  /**
   * Established connections that a name allowed stay allowed while they exist (S8.4). A few times within the lifetime of kept
   * elements are enough; if it is called more often, it does nothing.
   */
  async refreshKept(): Promise<void> {
    if (performance.now() - this.#keptAt < this.#options.lifetimes.keptSeconds * 100) return;
    this.#keptAt = performance.now();
    const listed = await connectionsMarked(this.#options.nameBit);
    if (!listed.ok) return this.#trouble(`cannot list connections: ${listed.message}`);
    await this.#write(this.#learned.prolong(listed.value));
  }

  /** Pods query servers directly again. What was learned stays in the kernel until it expires. */
  async stop(): Promise<void> {
    const active = this.#timer !== undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#renewal;
    const closed = this.#redirects.close();
    if (active) await this.#transactions.submit(this.#redirects.replacement());
    for (const listener of closed) await forgetRedirected(listener);
    this.#proxy.close();
  }

  async #renewSoon(): Promise<void> {
    this.#renewal = this.#renewal.then(async () => {
      this.#busy = true;
      try {
        await this.#renew();
      } catch (error) {
        this.#trouble(String(error));
      }
      this.#busy = false;
    });
    return this.#renewal;
  }

  async #renew(): Promise<void> {
    const pods = this.#learned.pods();
    await this.#redirects.serve(this.#servers, pods);
    const added = await this.#redirects.choose(pods);
    if (this.#timer === undefined) return this.#proxy.close();
    const ports = this.#ports.replacement();
    const problem = await this.#transactions.submit([...this.#redirects.replacement(), ...ports.changes]);
    if (problem !== undefined) return this.#trouble(`cannot redirect queries: ${problem}`);
    ports.written();
    for (const { pod, server, protocol } of added) if (protocol === "udp") await forgetQueries(pod, server);
    this.#proxy.sweep();
    this.#learned.sweep();
    await this.refreshKept();
  }

  async #write(changes: readonly SetChange[]): Promise<void> {
    const problem = await this.#transactions.submit(changes);
    if (problem === undefined) this.#learned.written(changes);
    else this.#trouble(problem);
  }

  #trouble(message: string): void {
    this.#options.onEvent({ kind: "trouble", message });
  }
}
