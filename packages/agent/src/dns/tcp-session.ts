import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { OnDnsEvent } from "./event.js";
import { localAddressTowards, type SourcePorts } from "./source-ports.js";
import { readMessage } from "./message.js";
import { type Answered, type OpenByPod, Outstanding } from "./outstanding.js";
import type { Upstream } from "./reach.js";

const idleMilliseconds = 30_000;
const answerMilliseconds = 20_000;

interface TcpSessionOptions {
  readonly pod: string;
  readonly upstream: Upstream;
  readonly ports: SourcePorts;
  readonly queries: OpenByPod;
  readonly study: (answer: Answered) => Promise<Buffer>;
  readonly onEvent: OnDnsEvent;
}

/** A connection of a pod, and the corresponding one to the server. If either ends, both do. */
export class TcpSession {
  readonly #outstanding = new Outstanding();
  #upstream: Promise<Socket | undefined> | undefined;
  #open = 0;
  #hasAskedAll = false;
  /** Answers are written in the order in which they arrived. */
  #replies: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: Socket,
    private readonly options: TcpSessionOptions,
  ) {
    const frames = new Frames();
    socket.setTimeout(idleMilliseconds, () => this.close());
    socket.on("error", () => this.close());
    socket.on("close", () => this.close());
    socket.on("data", (chunk) => {
      for (const query of frames.push(chunk)) void this.#ask(query);
    });
    // A pod may close its side and still wait for answers.
    socket.on("end", () => {
      this.#hasAskedAll = true;
      this.#finishIfDone();
    });
  }

  close(): void {
    this.socket.destroy();
    this.#outstanding.giveUp();
    void this.#upstream?.then((upstream) => upstream?.destroy());
  }

  async #ask(query: Buffer): Promise<void> {
    const { pod, queries, onEvent } = this.options;
    const started = performance.now();
    const message = readMessage(query);
    onEvent({ kind: "query", protocol: "tcp" });
    if (message === undefined || message.response) return this.#refuse("malformed");
    if (!queries.enter(pod)) return this.#refuse("too many");
    let open = true;
    this.#open++;
    const leave = () => {
      if (!open) return;
      open = false;
      this.#open--;
      queries.leave(pod);
    };
    this.#upstream ??= this.#connect();
    const upstream = await this.#upstream;
    if (upstream === undefined || this.socket.destroyed) return leave();
    const bytes = this.#outstanding.add(query, message, answerMilliseconds, (answer) => {
      leave();
      if (answer === undefined) this.close();
      else this.#reply(answer, started);
      this.#finishIfDone();
    });
    if (bytes !== undefined) upstream.write(framed(bytes));
    else leave();
  }

  #refuse(reason: "malformed" | "too many"): void {
    this.options.onEvent({ kind: "refused", pod: this.options.pod, reason });
    this.close();
  }

  #reply(answer: Answered, started: number): void {
    const { study, onEvent } = this.options;
    this.#replies = this.#replies.then(async () => {
      const reply = await study(answer);
      if (this.socket.destroyed) return;
      this.socket.write(framed(reply));
      onEvent({ kind: "answer", protocol: "tcp", milliseconds: performance.now() - started });
    });
  }

  async #connect(): Promise<Socket | undefined> {
    const { ports, pod, upstream, onEvent } = this.options;
    const socket = await connectAsPod(ports, pod, upstream);
    if (typeof socket === "string") {
      onEvent({ kind: "trouble", message: `cannot query ${upstream.address} for ${pod}: ${socket}` });
      onEvent({ kind: "refused", pod, reason: "no socket" });
      this.close();
      return undefined;
    }
    const frames = new Frames();
    socket.on("data", (chunk) => {
      for (const answer of frames.push(chunk)) {
        const stray = this.#outstanding.settle(answer);
        if (stray !== undefined) onEvent({ kind: "ignored", reason: stray });
      }
    });
    socket.on("error", () => this.#finish());
    socket.on("close", () => this.#finish());
    return socket;
  }

  #finishIfDone(): void {
    if (this.#hasAskedAll && this.#open === 0) this.#finish();
  }

  /** There are no more queries or answers. Answers that arrived are still sent to the pod. */
  #finish(): void {
    void this.#replies.then(() => this.socket.end(() => this.close()));
  }
}

/** Messages of DNS over TCP: each is prefixed with its length in two bytes. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete now. */
  push(chunk: Buffer): readonly Buffer[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const complete: Buffer[] = [];
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0);
      complete.push(bytes.subarray(2, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
    return complete;
  }
}

export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}

const attemptsToBind = 5;
const connectMilliseconds = 10_000;

/** A connection to a server with the address of the pod; a text if none can be opened. */
async function connectAsPod(ports: SourcePorts, pod: string, upstream: Upstream): Promise<Socket | string> {
  const { address: host, port } = upstream;
  try {
    if (upstream.as === "node") return await established(connect({ host, port }));
    const localAddress = await localAddressTowards(upstream);
    for (let i = 0; i < attemptsToBind; i++) {
      const reserved = await ports.reserve("tcp", localAddress, pod);
      if (typeof reserved === "string") return reserved;
      const socket = connect({ host, port, localAddress, localPort: reserved.port });
      socket.once("close", () => reserved.release());
      try {
        return await established(socket);
      } catch (error) {
        if (!isAddressInUse(error)) throw error;
      }
    }
    return "found no free source port";
  } catch (error) {
    return String(error);
  }
}

async function established(socket: Socket): Promise<Socket> {
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectMilliseconds) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
