import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { SourcePort, SourcePorts } from "./source-ports.js";
import type { OnDnsEvent } from "./event.js";
import { localAddressTowards } from "./local-address.js";
import type { Message } from "./message.js";
import { type Answered, Outstanding } from "./outstanding.js";
import type { Upstream } from "./reach.js";

/** A fresh port now and then, and after a few wrong answers: whoever guesses must begin again. */
const laneMilliseconds = 30_000;
const mostStrays = 32;
const answerMilliseconds = 10_000;
const attemptsToBind = 5;

/** One connected socket: only packets from the server asked get in. */
interface Lane {
  readonly socket: Socket;
  readonly outstanding: Outstanding;
  readonly since: number;
  strays: number;
  retired: boolean;
  readonly port: SourcePort | undefined;
}

/** Asks over UDP, from one socket a pod and server at a time. */
export class UpstreamUdp {
  readonly #lanes = new Map<string, Promise<Lane | string>>();
  readonly #open = new Set<Lane>();

  constructor(
    private readonly ports: SourcePorts,
    private readonly onEvent: OnDnsEvent,
  ) {}

  /** The answer; undefined when there was none; a text when nothing could be asked. */
  async ask(
    pod: string,
    upstream: Upstream,
    query: Buffer,
    message: Message,
  ): Promise<Answered | string | undefined> {
    const lane = await this.#laneFor(pod, upstream);
    if (typeof lane === "string") return lane;
    if (!this.#open.has(lane)) return this.ask(pod, upstream, query, message);
    return new Promise((resolve) => {
      const done = (answer: Answered | undefined) => {
        this.#closeIfIdle(lane);
        resolve(answer);
      };
      const bytes = lane.outstanding.add(query, message, answerMilliseconds, done);
      if (bytes === undefined) resolve("too many questions are open");
      // What cannot be sent is like what got lost on the way: the timer, and then the pod, deal with it.
      else lane.socket.send(bytes, () => undefined);
    });
  }

  /** Closes sockets that had their time. */
  sweep(): void {
    for (const lane of this.#open) if (!isUsable(lane)) this.#retire(lane);
  }

  close(): void {
    for (const lane of this.#open) {
      lane.retired = true;
      lane.outstanding.giveUp();
      this.#closeIfIdle(lane);
    }
    this.#lanes.clear();
  }

  async #laneFor(pod: string, upstream: Upstream): Promise<Lane | string> {
    const key = `${pod} ${upstream.address} ${upstream.port} ${upstream.as}`;
    const existing = this.#lanes.get(key);
    if (existing !== undefined) {
      const lane = await existing;
      if (typeof lane !== "string" && isUsable(lane)) return lane;
      // Whoever comes first replaces it; all others find the new one.
      if (this.#lanes.get(key) === existing) {
        this.#lanes.delete(key);
        if (typeof lane !== "string") this.#retire(lane);
      }
      return this.#laneFor(pod, upstream);
    }
    const opening = this.#openLane(pod, upstream);
    this.#lanes.set(key, opening);
    return opening;
  }

  async #openLane(pod: string, upstream: Upstream): Promise<Lane | string> {
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
  ): Promise<Lane> {
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
    const lane: Lane = {
      socket,
      outstanding: new Outstanding(),
      since: performance.now(),
      strays: 0,
      retired: false,
      port: reserved,
    };
    this.#open.add(lane);
    socket.on("message", (bytes) => this.#hear(lane, bytes));
    // "Connection refused" from a server that is gone: the next query tries again.
    socket.on("error", () => undefined);
    return lane;
  }

  #hear(lane: Lane, bytes: Buffer): void {
    const stray = lane.outstanding.settle(bytes);
    if (stray === undefined) return;
    this.onEvent({ kind: "ignored", reason: stray });
    lane.strays++;
    if (lane.strays >= mostStrays) this.#retire(lane);
  }

  /** Takes no more questions; those that are open are still answered. */
  #retire(lane: Lane): void {
    lane.retired = true;
    this.#closeIfIdle(lane);
  }

  #closeIfIdle(lane: Lane): void {
    if (!lane.retired || lane.outstanding.size > 0 || !this.#open.delete(lane)) return;
    lane.socket.close();
    lane.port?.release();
  }
}

function isUsable({ retired, since, port }: Lane): boolean {
  return !retired && performance.now() - since < laneMilliseconds && port?.isMapped() !== false;
}
