import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { localAddressTowards, type SourcePort, type SourcePorts } from "./source-ports.js";
import type { OnDnsEvent } from "./event.js";
import type { Message } from "./message.js";
import { type Answered, Outstanding } from "./outstanding.js";
import type { Upstream } from "./reach.js";

/** The port changes regularly, and after some wrong answers, so that an attacker has to guess it again. */
const channelMilliseconds = 30_000;
const mostStrays = 32;
const answerMilliseconds = 10_000;
const attemptsToBind = 5;

/** One connected socket: it receives only packets from its server. */
interface Channel {
  readonly socket: Socket;
  readonly outstanding: Outstanding;
  readonly since: number;
  strays: number;
  retired: boolean;
  readonly port: SourcePort | undefined;
}

/** Sends queries over UDP, from one socket per pod and server at a time. */
export class UpstreamUdp {
  readonly #channels = new Map<string, Promise<Channel | string>>();
  readonly #open = new Set<Channel>();

  constructor(
    private readonly ports: SourcePorts,
    private readonly onEvent: OnDnsEvent,
  ) {}

  /** The answer; undefined if there was none; a text if the query could not be sent. */
  async ask(
    pod: string,
    upstream: Upstream,
    query: Buffer,
    message: Message,
  ): Promise<Answered | string | undefined> {
    const channel = await this.#channelFor(pod, upstream);
    if (typeof channel === "string") return channel;
    if (!this.#open.has(channel)) return this.ask(pod, upstream, query, message);
    return new Promise((resolve) => {
      const done = (answer: Answered | undefined) => {
        this.#closeIfIdle(channel);
        resolve(answer);
      };
      const bytes = channel.outstanding.add(query, message, answerMilliseconds, done);
      if (bytes === undefined) resolve("too many open queries");
      // A query that cannot be sent is treated like a lost one: it times out, and the pod repeats it.
      else channel.socket.send(bytes, () => undefined);
    });
  }

  /** Closes expired sockets. */
  sweep(): void {
    for (const channel of this.#open) if (!isUsable(channel)) this.#retire(channel);
  }

  close(): void {
    for (const channel of this.#open) {
      channel.retired = true;
      channel.outstanding.giveUp();
      this.#closeIfIdle(channel);
    }
    this.#channels.clear();
  }

  async #channelFor(pod: string, upstream: Upstream): Promise<Channel | string> {
    const key = `${pod} ${upstream.address} ${upstream.port} ${upstream.as}`;
    const existing = this.#channels.get(key);
    if (existing !== undefined) {
      const channel = await existing;
      if (typeof channel !== "string" && isUsable(channel)) return channel;
      // The first caller replaces it; all others find the new one.
      if (this.#channels.get(key) === existing) {
        this.#channels.delete(key);
        if (typeof channel !== "string") this.#retire(channel);
      }
      return this.#channelFor(pod, upstream);
    }
    const opening = this.#openChannel(pod, upstream);
    this.#channels.set(key, opening);
    return opening;
  }

  async #openChannel(pod: string, upstream: Upstream): Promise<Channel | string> {
    try {
      if (upstream.as === "node") return await this.#connect(upstream, undefined, undefined);
      const address = await localAddressTowards(upstream);
      let problem = "";
      for (let i = 0; i < attemptsToBind; i++) {
        const reserved = await this.ports.reserve("udp", address, pod);
        if (typeof reserved === "string") return reserved;
        try {
          return await this.#connect(upstream, address, reserved);
        } catch (error) {
          reserved.release();
          problem = String(error);
        }
      }
      return problem;
    } catch (error) {
      return String(error);
    }
  }

  async #connect(
    upstream: Upstream,
    address: string | undefined,
    reserved: SourcePort | undefined,
  ): Promise<Channel> {
    const socket = createSocket(upstream.address.includes(":") ? "udp6" : "udp4");
    try {
      if (address !== undefined && reserved !== undefined) {
        const bound = once(socket, "listening");
        socket.bind({ address, port: reserved.port, exclusive: true });
        await bound;
      }
      const connected = once(socket, "connect");
      socket.connect(upstream.port, upstream.address);
      await connected;
    } catch (error) {
      socket.close();
      throw error;
    }
    const channel: Channel = {
      socket,
      outstanding: new Outstanding(),
      since: performance.now(),
      strays: 0,
      retired: false,
      port: reserved,
    };
    this.#open.add(channel);
    socket.on("message", (bytes) => this.#receive(channel, bytes));
    // "Connection refused" by a server that does not run: the next query tries again.
    socket.on("error", () => undefined);
    return channel;
  }

  #receive(channel: Channel, bytes: Buffer): void {
    const stray = channel.outstanding.settle(bytes);
    if (stray === undefined) return;
    this.onEvent({ kind: "ignored", reason: stray });
    channel.strays++;
    if (channel.strays >= mostStrays) this.#retire(channel);
  }

  /** Sends no more queries; open ones are still answered. */
  #retire(channel: Channel): void {
    channel.retired = true;
    this.#closeIfIdle(channel);
  }

  #closeIfIdle(channel: Channel): void {
    if (!channel.retired || channel.outstanding.size > 0 || !this.#open.delete(channel)) return;
    channel.socket.close();
    channel.port?.release();
  }
}

function isUsable({ retired, since, port }: Channel): boolean {
  return !retired && performance.now() - since < channelMilliseconds && port?.isMapped() !== false;
}
