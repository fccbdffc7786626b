import { setImmediate } from "node:timers/promises";
import type { DnsProxy, Listener } from "./proxy.js";
import type { Reach } from "./reach.js";
import { type DnsProtocol, dnsSets, proxyElement, redirectElement, type SocketAddress } from "./redirect.js";
import type { SetChange, TimedElement } from "./set-change.js";

export interface Redirected {
  readonly pod: string;
  readonly server: SocketAddress;
  readonly protocol: DnsProtocol;
}

/** Verdicts are looked up for so long before others get their turn. */
const sliceMilliseconds = 5;

/** The listeners of the proxy, one a server, and who is redirected to them. */
export class Redirects {
  readonly #listeners = new Map<string, Listener>();
  #redirected: readonly Redirected[] = [];

  constructor(
    private readonly proxy: DnsProxy,
    private readonly reach: Reach,
    private readonly milliseconds: number,
  ) {}

  /** From now on queries to these servers are taken. */
  async serve(servers: readonly SocketAddress[]): Promise<void> {
    const wanted = new Map(servers.map((server) => [serverKey(server), server]));
    for (const [key, listener] of this.#listeners)
      if (!wanted.has(key)) {
        listener.close();
        this.#listeners.delete(key);
      }
    for (const [key, server] of wanted)
      if (!this.#listeners.has(key)) this.#listeners.set(key, await this.proxy.listen(server));
  }

  /**
   * Finds out who is to be redirected: queries that policies deny are left to the kernel, which drops, counts and logs
   * them as any other packet. Returns those that were not redirected before.
   */
  async choose(pods: readonly string[]): Promise<readonly Redirected[]> {
    const before = new Set(this.#redirected.map(redirectedKey));
    const chosen: Redirected[] = [];
    let slice = performance.now();
    for (const { server } of this.#listeners.values())
      for (const pod of pods)
        for (const protocol of ["udp", "tcp"] as const) {
          if (familyOf(pod) !== familyOf(server.address)) continue;
          if (this.reach.upstreams(pod, server, protocol).length > 0) chosen.push({ pod, server, protocol });
          if (performance.now() - slice < sliceMilliseconds) continue;
          await setImmediate();
          slice = performance.now();
        }
    this.#redirected = chosen;
    return chosen.filter((one) => !before.has(redirectedKey(one)));
  }

  /** The sets and maps as they should be. */
  replacement(): readonly SetChange[] {
    const listeners = [...this.#listeners.values()];
    return ([4, 6] as const).flatMap((family): SetChange[] => {
      const proxies = listeners
        .filter(({ udp }) => familyOf(udp.address) === family)
        .flatMap(({ udp, tcp }) => [
          proxyElement("udp", udp, this.milliseconds),
          proxyElement("tcp", tcp, this.milliseconds),
        ]);
      const redirects = this.#redirected
        .filter(({ pod }) => familyOf(pod) === family)
        .flatMap((one) => this.#element(one));
      return [
        { kind: "replace", set: dnsSets.proxy[family], holds: "set", elements: proxies },
        { kind: "replace", set: dnsSets.redirect[family], holds: "map", elements: redirects },
      ];
    });
  }

  close(): void {
    for (const listener of this.#listeners.values()) listener.close();
    this.#listeners.clear();
    this.#redirected = [];
  }

  #element({ pod, server, protocol }: Redirected): readonly TimedElement[] {
    const listener = this.#listeners.get(serverKey(server));
    if (listener === undefined) return [];
    return [redirectElement(pod, server, protocol, listener[protocol], this.milliseconds)];
  }
}

function serverKey({ address, port }: SocketAddress): string {
  return `${address} ${port}`;
}

function redirectedKey({ pod, server, protocol }: Redirected): string {
  return `${pod} ${serverKey(server)} ${protocol}`;
}

function familyOf(address: string): 4 | 6 {
  return address.includes(":") ? 6 : 4;
}
