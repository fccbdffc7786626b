import type { Socket } from "node:net";

interface Client {
  readonly socket: Socket;
  readonly address: string;
  /** Requests on this connection that are being answered, with what to call when the connection is gone. */
  readonly answering: Set<() => void>;
}

/** A request that is being answered. */
export interface Turn {
  /** Calls back at once where the connection is gone already. */
  onDisconnect(callback: () => void): void;
  end(): void;
}

interface ConnectionLimits {
  readonly connections: number;
  /** Requests answered at the same time. */
  readonly requests: number;
  /** Of those, from one address. */
  readonly requestsPerAddress: number;
}

/**
 * Who is connected. Where connections run out, the address that holds the most of them loses one that waits, so that a pod that opens
 * connections and sends nothing keeps neither the kubelet nor the API server out.
 */
export class ClientConnections {
  /** In the order in which they came. */
  private readonly open = new Map<string, Client>();
  private busy = 0;
  private readonly busyOf = new Map<string, number>();

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
    const client: Client = { socket, address, answering: new Set() };
    this.open.set(key, client);
    socket.once("close", () => {
      if (this.open.get(key) === client) this.open.delete(key);
      for (const callback of client.answering) callback();
    });
    return true;
  }

  /** Whether a request is being answered on this connection, on which nothing else may be written then. */
  isBusy(socket: RemoteEnd): boolean {
    return (this.open.get(keyOf(socket))?.answering.size ?? 0) > 0;
  }

  /** Undefined: too many requests are being answered. */
  begin(socket: RemoteEnd): Turn | undefined {
    const client = this.open.get(keyOf(socket));
    if (client === undefined) return undefined;
    const { address, answering } = client;
    const own = this.busyOf.get(address) ?? 0;
    if (this.busy >= this.limits.requests || own >= this.limits.requestsPerAddress) return undefined;
    this.busy++;
    this.busyOf.set(address, own + 1);
    let onDisconnect: () => void = () => undefined;
    const disconnected = () => onDisconnect();
    answering.add(disconnected);
    return {
      onDisconnect: (callback) => {
        onDisconnect = callback;
        if (client.socket.destroyed) callback();
      },
      end: () => {
        if (!answering.delete(disconnected)) return;
        this.busy--;
        const left = this.busyOf.get(address)! - 1;
        if (left === 0) this.busyOf.delete(address);
        else this.busyOf.set(address, left);
      },
    };
  }

  private evict(): boolean {
    const held = new Map<string, number>();
    for (const { address } of this.open.values()) held.set(address, (held.get(address) ?? 0) + 1);
    let found: readonly [string, Client] | undefined;
    for (const entry of this.open)
      if (
        entry[1].answering.size === 0 &&
        (found === undefined || held.get(entry[1].address)! > held.get(found[1].address)!)
      )
        found = entry;
    if (found === undefined) return false;
    this.open.delete(found[0]);
    found[1].socket.destroy();
    return true;
  }
}

/** The same for the socket of TLS and the one below it. */
const keyOf = ({ remoteAddress, remotePort }: RemoteEnd): string => `${remoteAddress} ${remotePort}`;

type RemoteEnd = Pick<Socket, "remoteAddress" | "remotePort">;
