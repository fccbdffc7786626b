import { randomInt } from "node:crypto";
import type { Stray } from "./event.js";
import { type Message, type Question, readMessage, recordTypes, sameQuestion, withId } from "./message.js";

export interface Answered {
  /** With the id of the query. */
  readonly bytes: Buffer;
  readonly message: Message;
}

interface Entry {
  readonly id: number;
  readonly question: Question;
  readonly opcode: number;
  readonly timer: NodeJS.Timeout;
  readonly done: (answer: Answered | undefined) => void;
}

/** Ids have 16 bits, and guessing one must stay hard. */
const mostEntries = 1024;

/** Queries that were sent from one socket, with random ids. Only a packet that answers one of them is accepted. */
export class Outstanding {
  readonly #entries = new Map<number, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** The query to send; `done` gets the answer, or undefined if there is none. Returns undefined if too many are open. */
  add(
    query: Buffer,
    { id, question, opcode }: Message,
    milliseconds: number,
    done: (answer: Answered | undefined) => void,
  ): Buffer | undefined {
    if (this.#entries.size >= mostEntries) return undefined;
    let own = randomInt(0x10000);
    while (this.#entries.has(own)) own = randomInt(0x10000);
    const timer = setTimeout(() => this.#end(own, undefined), milliseconds);
    this.#entries.set(own, { id, question, opcode, timer, done });
    return withId(query, own);
  }

  /** Passes an answer to its query; or returns why it is not an answer. */
  settle(bytes: Buffer): Stray | undefined {
    const message = readMessage(bytes);
    if (message === undefined || !message.response) return "malformed";
    const entry = this.#entries.get(message.id);
    if (entry === undefined) return "not asked";
    if (!sameQuestion(entry.question, message.question) || entry.opcode !== message.opcode)
      return "another question";
    const answer = { bytes: withId(bytes, entry.id), message };
    // A zone transfer has many messages, until the connection ends.
    if (isTransfer(entry.question)) entry.done(answer);
    else this.#end(message.id, answer);
    return undefined;
  }

  /** No more answers will arrive. */
  giveUp(): void {
    for (const id of this.#entries.keys()) this.#end(id, undefined);
  }

  #end(id: number, answer: Answered | undefined): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    clearTimeout(entry.timer);
    entry.done(answer);
  }
}

function isTransfer({ type }: Question): boolean {
  return type === recordTypes.AXFR || type === recordTypes.IXFR;
}

/** Limits per pod, so that no pod can exhaust the resources of the proxy. */
export const mostQueriesPerPod = 200;
export const mostConnectionsPerPod = 64;

/** Counts open queries or connections per pod, up to a limit. */
export class OpenByPod {
  readonly #counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  enter(pod: string): boolean {
    const count = this.#counts.get(pod) ?? 0;
    if (count >= this.most) return false;
    this.#counts.set(pod, count + 1);
    return true;
  }

  leave(pod: string): void {
    const count = (this.#counts.get(pod) ?? 0) - 1;
    if (count > 0) this.#counts.set(pod, count);
    else this.#counts.delete(pod);
  }
}
