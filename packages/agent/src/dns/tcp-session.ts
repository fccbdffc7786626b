import type { Socket } from "node:net";
import type { SourcePorts } from "./source-ports.js";
import type { OnDnsEvent } from "./event.js";
import { framed, Frames } from "./frames.js";
import { readMessage } from "./message.js";
import type { OpenByPod } from "./open-by-pod.js";
import { type Answered, Outstanding } from "./outstanding.js";
import type { Upstream } from "./reach.js";
import { connectAsPod } from "./upstream-tcp.js";

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
