import { setImmediate } from "node:timers/promises";
import type { OnDnsEvent } from "./event.js";
import { localAddressTowards } from "./source-ports.js";
import type { DnsProxy, Listener } from "./proxy.js";
import type { Reach } from "./reach.js";
import {
  type DnsProtocol,
  dnsSets,
  familyOf,
  proxyElement,
  redirectElement,
  type SocketAddress,
} from "./redirect.js";
import type { SetChange, TimedElement } from "../ruleset/set-change.js";

interface Redirected {
  readonly pod: string;
  readonly server: SocketAddress;
  readonly protocol: DnsProtocol;
}

/** Verdicts are looked up for at most this long before other work can run. */
const sliceMilliseconds = 5;

/** The listeners of the proxy, one per server, and the pods that are redirected to them. */
export class Redirects {
  readonly #listeners = new Map<string, Listener>();
  #redirected: readonly Redirected[] = [];

  constructor(
    private readonly proxy: DnsProxy,
    private readonly reach: Reach,
    private readonly milliseconds: number,
    private readonly onEvent: OnDnsEvent,
  ) {}

  /**
   * Listens for queries of these pods to these servers, at the address of the node that faces its pods: the node may have no
   * route to the address of a Service.
   */
  async serve(servers: readonly SocketAddress[], pods: readonly string[]): Promise<void> {
    const wanted = new Map(servers.map((server) => [serverKey(server), server]));
    for (const key of this.#listeners.keys()) if (!wanted.has(key)) this.#close(key);
    for (const [key, server] of wanted) {
      const [pod] = pods.filter((one) => familyOf(one) === familyOf(server.address)).toSorted();
      if (pod === undefined) this.#close(key);
      else await this.#serveOne(key, server, pod);
    }
  }

  async #serveOne(key: string, server: SocketAddress, pod: string): Promise<void> {
    try {
      const address = await localAddressTowards({ address: pod, port: server.port });
      if (this.#listeners.get(key)?.udp.address === address) return;
      this.#close(key);
      this.#listeners.set(key, await this.proxy.listen(server, address));
    } catch (error) {
      this.#close(key);
      this.onEvent({
        kind: "trouble",
        message: `cannot redirect queries to ${server.address}: ${String(error)}`,
      });
    }
  }

  /**
   * Determines which queries are redirected. Those that policies deny are not, so the kernel drops, counts and logs them like any
   * other packet. Returns those that were not redirected before.
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

  /** The complete content of the sets and maps. */
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

  /** Closes all listeners. Returns the addresses of those for UDP. */
  close(): readonly SocketAddress[] {
    const closed = [...this.#listeners.values()].map(({ udp }) => udp);
    for (const key of this.#listeners.keys()) this.#close(key);
    this.#redirected = [];
    return closed;
  }

  #close(key: string): void {
    this.#listeners.get(key)?.close();
    this.#listeners.delete(key);
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
