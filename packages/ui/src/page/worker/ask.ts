import type { AnswerOf, QuestionName, RequestOf } from "./answers.js";
import type { StateSource } from "./given-state.js";
import type { Message, Reply } from "./message.js";
import type { Summary } from "./summary.js";

type Unnumbered<M> = M extends Message ? Omit<M, "number"> : never;

interface Waiting {
  readonly message: Unnumbered<Message>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress?: ((objects: number) => void) | undefined;
  /** Whether the worker is ended when the answer takes long and is not wanted any more. */
  readonly isEndable?: boolean;
}

export interface AskOptions {
  /** Aborted when the answer is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
  /** `patient` for what may take seconds, such as all findings of a large cluster: nothing quick waits behind it. */
  readonly lane?: "quick" | "patient";
}

/** Has the engine read another state. `progress` is called now and then with the number of objects that have been read. */
export function load(source: StateSource, progress?: (objects: number) => void): Promise<Summary> {
  loaded = source;
  patient.wantsState = true;
  return quick.load(source, progress);
}

export function ask<N extends QuestionName>(
  name: N,
  request: RequestOf<N>,
  { signal, lane = "quick" }: AskOptions = {},
): Promise<AnswerOf<N>> {
  if (lane === "quick") return quick.ask(name, request, { signal });
  if (patient.wantsState && loaded !== undefined) {
    // Reading a large state takes seconds: the worker that has read it and is free answers, and the other reads it meanwhile.
    const isReady = !quick.wantsState && quick.isFree;
    if (isReady) [quick, patient] = [patient, quick];
    const unread = isReady ? quick : patient;
    unread.load(loaded).catch(() => undefined);
  }
  return patient.ask(name, request, { signal, isEndable: true });
}

let loaded: StateSource | undefined;

/** Milliseconds: an unwanted answer that comes sooner costs less than a new worker. */
const grace = 300;

/**
 * The page's side of a worker. One message is under way at a time, and the others wait here: those that are not wanted any
 * more never reach the worker. A worker cannot be interrupted: where it is busy with an unwanted answer for long, it is
 * ended, and another one reads the state.
 */
class Lane {
  /** Whether the state that was loaded last has not been sent to it yet. */
  wantsState = true;
  private worker: Worker | undefined;
  private source: StateSource | undefined;
  private readonly queue: Waiting[] = [];
  private current: Waiting | undefined;
  private number = 0;

  load(source: StateSource, progress?: (objects: number) => void): Promise<Summary> {
    this.wantsState = false;
    this.source = source;
    return this.send({ kind: "load", source }, { progress }) as Promise<Summary>;
  }

  ask<N extends QuestionName>(
    name: N,
    request: RequestOf<N>,
    options: Pick<AskOptions, "signal"> & Pick<Waiting, "isEndable">,
  ): Promise<AnswerOf<N>> {
    return this.send({ kind: "ask", name, request }, options) as Promise<AnswerOf<N>>;
  }

  get isFree(): boolean {
    return this.current === undefined && this.queue.length === 0;
  }

  private send(
    message: Unnumbered<Message>,
    { signal, ...options }: Pick<AskOptions, "signal"> & Pick<Waiting, "progress" | "isEndable">,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { message, resolve, reject, ...options };
      signal?.addEventListener("abort", () => this.drop(waiting));
      this.queue.push(waiting);
      this.next();
    });
  }

  private drop(unwanted: Waiting): void {
    const at = this.queue.indexOf(unwanted);
    if (at >= 0) this.queue.splice(at, 1);
    unwanted.reject(new DOMException("this answer is not wanted any more", "AbortError"));
    if (unwanted === this.current && unwanted.isEndable === true)
      setTimeout(() => unwanted === this.current && this.restart(), grace);
  }

  /** Ends the worker with what it is doing. Another one reads the same state, unless a newer one is in the queue. */
  private restart(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.current = undefined;
    const { source, queue } = this;
    const ignore = () => undefined;
    if (source !== undefined && !queue.some(({ message }) => message.kind === "load"))
      queue.unshift({ message: { kind: "load", source }, resolve: ignore, reject: ignore });
    this.next();
  }

  private next(): void {
    if (this.current !== undefined) return;
    this.current = this.queue.shift();
    if (this.current === undefined) return;
    this.worker ??= this.start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    this.worker.postMessage({ ...this.current.message, number: ++this.number });
  }

  private start(): Worker {
    const worker = new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      if (data.number !== this.number || worker !== this.worker) return;
      const { current } = this;
      if (data.kind === "progress") return current?.progress?.(data.objects);
      this.current = undefined;
      if (data.kind === "answer") current?.resolve(data.answer);
      else current?.reject(new Error(data.message));
      this.next();
    });
    worker.addEventListener("error", () => {
      this.current?.reject(new Error("the engine could not be started; load the page again"));
      this.current = undefined;
      this.next();
    });
    return worker;
  }
}

let quick = new Lane();
/** A thread with a state of its own, started with the first question to it. */
let patient = new Lane();
