import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { SetChange } from "../ruleset/set-change.js";
import {
  type DnsProtocol,
  dnsSets,
  familyOf,
  type SocketAddress,
  sourceElement,
  sourcePorts as range,
} from "./redirect.js";
import type { Transactions } from "./transactions.js";

interface Reserved {
  readonly protocol: DnsProtocol;
  readonly socket: SocketAddress;
  readonly pod: string;
  /** When it expires in the kernel, unless it is renewed. */
  until: number;
}

export interface SourcePort {
  readonly port: number;
  /** False if the mapping may have expired, so that packets would leave with the address of the node. */
  isMapped(): boolean;
  release(): void;
}

/** Ports of the node whose packets leave with the address of a pod. */
export class SourcePorts {
  readonly #reserved = new Map<string, Reserved>();
  /** Released, but possibly still in the kernel until everything is written again. */
  readonly #released = new Set<string>();

  constructor(
    private readonly transactions: Transactions,
    private readonly milliseconds: number,
  ) {}

  /** A random port that the kernel maps to the pod; or what went wrong. */
  async reserve(protocol: DnsProtocol, address: string, pod: string): Promise<SourcePort | string> {
    const port = this.#freePort(protocol, address);
    if (port === undefined) return `all ports from ${range.first} to ${range.last} are in use`;
    const key = `${protocol} ${address} ${port}`;
    const entry: Reserved = { protocol, socket: { address, port }, pod, until: this.#expiry() };
    this.#reserved.set(key, entry);
    const release = () => {
      if (this.#reserved.delete(key)) this.#released.add(key);
    };
    const element = sourceElement(protocol, entry.socket, pod, this.milliseconds);
    const set = dnsSets.source[familyOf(address)];
    const problem = await this.transactions.submit([{ kind: "renew", set, element }]);
    if (problem === undefined) return { port, isMapped: () => performance.now() < entry.until, release };
    release();
    return problem;
  }

  /** The complete content of the maps. `written`, called after the write, makes released ports available again. */
  replacement(): { readonly changes: readonly SetChange[]; readonly written: () => void } {
    const released = [...this.#released];
    const reserved = [...this.#reserved.values()];
    const until = this.#expiry();
    const changes = ([4, 6] as const).map((family): SetChange => {
      const elements = reserved
        .filter(({ socket }) => familyOf(socket.address) === family)
        .map(({ protocol, socket, pod }) => sourceElement(protocol, socket, pod, this.milliseconds));
      return { kind: "replace", set: dnsSets.source[family], holds: "map", elements };
    });
    return {
      changes,
      written: () => {
        for (const key of released) this.#released.delete(key);
        for (const entry of reserved) entry.until = until;
      },
    };
  }

  /** Computed before the transaction, so that it is never later than in the kernel. */
  #expiry(): number {
    return performance.now() + this.milliseconds;
  }

  #freePort(protocol: DnsProtocol, address: string): number | undefined {
    const count = range.last - range.first + 1;
    const start = randomInt(count);
    for (let i = 0; i < count; i++) {
      const port = range.first + ((start + i) % count);
      const key = `${protocol} ${address} ${port}`;
      if (!this.#reserved.has(key) && !this.#released.has(key)) return port;
    }
    return undefined;
  }
}

/** The source address that routing selects for packets of this node to an address. Nothing is sent. */
export async function localAddressTowards({ address, port }: SocketAddress): Promise<string> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  try {
    const connected = once(socket, "connect");
    socket.connect(port, address);
    await connected;
    return socket.address().address;
  } finally {
    socket.close();
  }
}
