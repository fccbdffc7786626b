import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { formatAddress, parseAddress } from "@tierwall/core/model";
import type { SourcePorts } from "./source-ports.js";
import type { OnDnsEvent } from "./event.js";
import type { Learner } from "./learner.js";
import { readMessage } from "./message.js";
import { mostConnectionsPerPod, mostQueriesPerPod, OpenByPod } from "./outstanding.js";
import type { Reach, Upstream } from "./reach.js";
import type { DnsProtocol, SocketAddress } from "./redirect.js";
import { TcpSession } from "./tcp-session.js";
import { UpstreamUdp } from "./upstream-udp.js";

/** The sockets that receive the queries for one server. */
export interface Listener {
  readonly server: SocketAddress;
  readonly udp: SocketAddress;
  readonly tcp: SocketAddress;
  close(): void;
}

/** Longer queries over UDP are invalid. */
const longestQuery = 4096;

/** Answers queries that pods sent to a DNS server, by forwarding them. The addresses of an answer are learned first. */
export class DnsProxy {
  readonly #upstream: UpstreamUdp;
  readonly #queries = new OpenByPod(mostQueriesPerPod);
  readonly #connections = new OpenByPod(mostConnectionsPerPod);
  readonly #sessions = new Set<TcpSession>();

  constructor(
    private readonly reach: Reach,
    private readonly ports: SourcePorts,
    private readonly learner: Learner,
    private readonly onEvent: OnDnsEvent,
  ) {
    this.#upstream = new UpstreamUdp(ports, onEvent);
  }

  /** At one address only: answers must leave from the address to which queries were redirected. */
  async listen(server: SocketAddress, address: string): Promise<Listener> {
    const udp = await this.#listenUdp(server, address);
    try {
      const tcp = await this.#listenTcp(server, address);
      return {
        server,
        udp: { address, port: udp.address().port },
        tcp: { address, port: portOf(tcp) },
        close: () => {
          udp.close();
          tcp.close();
        },
      };
    } catch (error) {
      udp.close();
      throw error;
    }
  }

  /** Closes expired sockets. */
  sweep(): void {
    this.#upstream.sweep();
  }

  close(): void {
    for (const session of this.#sessions) session.close();
    this.#upstream.close();
  }

  async #listenUdp(server: SocketAddress, address: string): Promise<UdpSocket> {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    const listening = once(socket, "listening");
    socket.bind({ address, port: 0, exclusive: true });
    await listening;
    socket.on("error", (error) => this.onEvent({ kind: "trouble", message: error.message }));
    socket.on("message", (bytes, from) => void this.#answerUdp(socket, server, bytes, from));
    return socket;
  }

  async #answerUdp(socket: UdpSocket, server: SocketAddress, query: Buffer, from: RemoteInfo): Promise<void> {
    const started = performance.now();
    const pod = canonical(from.address);
    const message = query.length <= longestQuery ? readMessage(query) : undefined;
    this.onEvent({ kind: "query", protocol: "udp" });
    if (message === undefined || message.response)
      return this.onEvent({ kind: "refused", pod, reason: "malformed" });
    const upstream = this.#choose(pod, server, "udp");
    if (upstream === undefined) return this.onEvent({ kind: "refused", pod, reason: "not allowed" });
    if (!this.#queries.enter(pod)) return this.onEvent({ kind: "refused", pod, reason: "too many" });
    try {
      const answer = await this.#upstream.ask(pod, upstream, query, message);
      if (answer === undefined) return this.onEvent({ kind: "unanswered", server: server.address });
      if (typeof answer === "string") {
        this.onEvent({ kind: "trouble", message: `cannot query ${upstream.address} for ${pod}: ${answer}` });
        return this.onEvent({ kind: "refused", pod, reason: "no socket" });
      }
      const reply = await this.learner.study(this.reach.addressesOf(pod), answer);
      // Errors are ignored: the pod may be deleted, or the listener closed.
      await new Promise<void>((sent) => socket.send(reply, from.port, from.address, () => sent()));
      this.onEvent({ kind: "answer", protocol: "udp", milliseconds: performance.now() - started });
    } catch (error) {
      this.onEvent({ kind: "trouble", message: String(error) });
    } finally {
      this.#queries.leave(pod);
    }
  }

  async #listenTcp(server: SocketAddress, address: string): Promise<Server> {
    const listener = createServer({ allowHalfOpen: true }, (socket) => this.#serve(server, socket));
    const listening = once(listener, "listening");
    listener.listen({ host: address, port: 0, exclusive: true });
    await listening;
    listener.on("error", (error) => this.onEvent({ kind: "trouble", message: error.message }));
    return listener;
  }

  #serve(server: SocketAddress, socket: Socket): void {
    const pod = canonical(socket.remoteAddress ?? "");
    const upstream = this.#choose(pod, server, "tcp");
    const allowed = upstream !== undefined && this.#connections.enter(pod);
    if (!allowed) {
      this.onEvent({ kind: "refused", pod, reason: upstream === undefined ? "not allowed" : "too many" });
      socket.resetAndDestroy();
      return;
    }
    const { ports, learner, onEvent } = this;
    const session = new TcpSession(socket, {
      pod,
      upstream,
      ports,
      onEvent,
      queries: this.#queries,
      study: async (answer) => learner.study(this.reach.addressesOf(pod), answer),
    });
    this.#sessions.add(session);
    socket.once("close", () => {
      this.#connections.leave(pod);
      this.#sessions.delete(session);
    });
  }

  /** A random one of those that policies allow, as a Service would choose. */
  #choose(pod: string, server: SocketAddress, protocol: DnsProtocol): Upstream | undefined {
    const upstreams = this.reach.upstreams(pod, server, protocol);
    return upstreams[Math.floor(Math.random() * upstreams.length)];
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The canonical form of an address. An address with a zone is not a pod's, and is returned as it is. */
function canonical(address: string): string {
  const parsed = parseAddress(address);
  return parsed === undefined ? address : formatAddress(parsed);
}
