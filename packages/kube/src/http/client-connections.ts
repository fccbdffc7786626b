import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Exchange } from "./exchange.js";

export interface ConnectionLimits {
  readonly connections: number;
  /** Answers that are complete and not sent to the end, of all clients together: they take memory. */
  readonly unreadAnswers: number;
  /** Requests of one connection without a complete answer. More than one is pipelining. */
  readonly pipelined: number;
  /** Milliseconds that nothing may be sent or received. */
  readonly silence: number;
  /** The same while a complete answer waits to be sent. */
  readonly unread: number;
}

interface Client {
  readonly key: string;
  readonly socket: Socket;
  readonly address: string;
  /** Requests whose answers were not sent to the end. */
  readonly exchanges: Set<Exchange>;
}

/**
 * The connected clients. Where connections run out, the address that holds the most of them loses one that waits, so that a pod that opens
 * connections and sends nothing keeps neither the kubelet nor the API server out. The same holds for answers that are not read.
 */
export class ClientConnections {
  /** In the order in which they came. */
  private readonly open = new Map<string, Client>();
  /** The oldest first. */
  private readonly unread = new Set<Exchange>();

  constructor(private readonly limits: ConnectionLimits) {}

  /** False: the connection was refused. */
  add(socket: Socket): boolean {
    const { remoteAddress: address } = socket;
    // The client has gone before it was looked at.
    if (address === undefined) {
      socket.destroy();
      return false;
    }
    if (this.open.size >= this.limits.connections && !this.evict()) {
      socket.destroy();
      return false;
    }
    const key = keyOf(socket);
    const client: Client = { key, socket, address, exchanges: new Set() };
    this.open.set(key, client);
    socket.once("close", () => {
      if (this.open.get(key) === client) this.open.delete(key);
      for (const exchange of client.exchanges) exchange.leave();
    });
    return true;
  }

  /** Whether an answer is being made or sent on this connection, on which nothing else may be written then. */
  isBusy(socket: ConnectionEnds): boolean {
    return (this.open.get(keyOf(socket))?.exchanges.size ?? 0) > 0;
  }

  /** Undefined: the connection is closed, by the client or because it sends one request after the other and reads nothing. */
  begin(socket: Socket, response: ServerResponse): Exchange | undefined {
    const client = this.open.get(keyOf(socket));
    if (client === undefined || client.socket.destroyed) return undefined;
    const { address, exchanges } = client;
    if (exchanges.size >= this.limits.pipelined) {
      client.socket.destroy();
      return undefined;
    }
    const exchange = new Exchange(address, response, {
      onUnread: () => {
        socket.setTimeout(this.limits.unread);
        this.unread.add(exchange);
        if (this.unread.size > this.limits.unreadAnswers) this.dropUnread();
      },
      onLeave: () => {
        this.unread.delete(exchange);
        exchanges.delete(exchange);
        // After the last one, Node waits for another request as long as it is configured to.
        if (exchanges.size > 0) socket.setTimeout(this.limits.silence);
      },
      disconnect: () => client.socket.destroy(),
    });
    exchanges.add(exchange);
    return exchange;
  }

  private evict(): boolean {
    const found = oldestOfMost([...this.open.values()], ({ exchanges }) =>
      [...exchanges].every(({ isAnswering }) => !isAnswering),
    );
    if (found === undefined) return false;
    this.open.delete(found.key);
    found.socket.destroy();
    return true;
  }

  private dropUnread(): void {
    const found = oldestOfMost([...this.unread], () => true)!;
    // Its connection is closed a moment later, and others may be added until then.
    this.unread.delete(found);
    found.disconnect();
  }
}

/** The first of those that may be chosen, of the address that has most. */
function oldestOfMost<Held extends { readonly address: string }>(
  all: readonly Held[],
  isChoice: (one: Held) => boolean,
): Held | undefined {
  const held = new Map<string, number>();
  for (const { address } of all) held.set(address, (held.get(address) ?? 0) + 1);
  let found: Held | undefined;
  for (const one of all)
    if (isChoice(one) && (found === undefined || held.get(one.address)! > held.get(found.address)!))
      found = one;
  return found;
}

/** The same for the socket of TLS and the one below it. A client may use one port for connections to several of our addresses. */
const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: ConnectionEnds): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

type ConnectionEnds = Pick<Socket, "remoteAddress" | "remotePort" | "localAddress" | "localPort">;
