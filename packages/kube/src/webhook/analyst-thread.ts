import { Worker } from "node:worker_threads";
import type { Readable, Unread } from "@tierwall/core/analysis";
import type { JsonObject } from "@tierwall/core/manifest";
import type { EditWarning } from "@tierwall/core/report";
import type { LiveOptions } from "@tierwall/core/state";
import type { Follower } from "../cluster/cluster-source.js";
import { messageOf } from "../cluster/connection.js";
import { type Found, type PolicyEdit, type Stage, stages } from "./analyst.js";

/** What is known of an edit when an answer is due. */
export interface Judgement {
  readonly warnings: readonly EditWarning[];
  /** What was not looked at. */
  readonly missing: readonly Stage[];
  /** What was not named, because the reader may not read it. */
  readonly unread: readonly Unread[];
  /** Too many edits wait to be judged: this one was not looked at. */
  readonly busy?: boolean;
  /** Why not, where it is not for want of time. */
  readonly failure?: string;
}

/** Says what an edit would do, or as much of it as it finds out before the deadline (`Date.now()`), to a reader. */
export interface Judge {
  judge(edit: PolicyEdit, readable: Readable, deadline: number): Promise<Judgement>;
}

export type ToAnalyst =
  | { readonly what: "objects"; readonly changes: readonly (JsonObject | string)[] }
  | {
      readonly what: "judge";
      readonly id: number;
      readonly edit: PolicyEdit;
      readonly readable: Readable;
      readonly deadline: number;
    };

export type FromAnalyst =
  | { readonly what: "found"; readonly id: number; readonly found: Found }
  | { readonly what: "done"; readonly id: number }
  | { readonly what: "failed"; readonly id: number; readonly message: string }
  | { readonly what: "trouble"; readonly message: string };

/** An edit that the thread has not answered. */
interface Pending {
  readonly found: Found[];
  readonly bytes: number;
  /** The caller may have stopped waiting by then. */
  readonly answer: (failure?: string) => void;
}

/** Edits that the thread has not answered, whether anyone still waits for them or not. Messages that wait cannot be called back. */
const mostWaiting = 32;
const mostBytesWaiting = 16 * 1024 * 1024;

/** An analyst in a thread of his own. What he has found by the deadline is the answer, whatever he is still doing then. */
export class AnalystThread implements Follower, Judge {
  private readonly worker: Worker;
  private changes: (JsonObject | string)[] = [];
  private readonly pending = new Map<number, Pending>();
  private asked = 0;
  private death: string | undefined;

  constructor(
    options: LiveOptions,
    private readonly onTrouble: (message: string) => void,
    entry: URL = new URL("./analyst-worker.js", import.meta.url),
  ) {
    this.worker = new Worker(entry, { workerData: options });
    this.worker.on("message", (message: FromAnalyst) => this.take(message));
    this.worker.on("error", (cause) => this.die(messageOf(cause)));
    this.worker.on("exit", () => this.die("the thread that judges edits has ended"));
  }

  /** Why he will never answer again; undefined while he can. */
  get broken(): string | undefined {
    return this.death;
  }

  set(object: JsonObject): void {
    this.change(object);
  }

  remove(key: string): void {
    this.change(key);
  }

  async judge(edit: PolicyEdit, readable: Readable, deadline: number): Promise<Judgement> {
    const { bytes = 0 } = edit;
    const waiting = [...this.pending.values()].reduce((sum, one) => sum + one.bytes, 0);
    if (this.pending.size >= mostWaiting || waiting + bytes > mostBytesWaiting)
      return { warnings: [], missing: stages, unread: [], busy: true };
    this.flush();
    const id = this.asked++;
    const found: Found[] = [];
    const failure = await new Promise<string | undefined>((resolve) => {
      if (this.death !== undefined) return resolve(this.death);
      const timer = setTimeout(() => resolve(undefined), Math.max(0, deadline - Date.now()));
      const answer = (message?: string) => {
        clearTimeout(timer);
        resolve(message);
      };
      this.pending.set(id, { found, bytes, answer });
      this.send({ what: "judge", id, edit, readable, deadline });
    });
    const seen = new Set(found.map(({ stage }) => stage));
    return {
      warnings: found.flatMap(({ warnings }) => warnings),
      missing: stages.filter((stage) => !seen.has(stage)),
      unread: found.at(-1)?.unread ?? [],
      ...(failure === undefined ? {} : { failure }),
    };
  }

  async stop(): Promise<void> {
    this.death = "it was stopped";
    await this.worker.terminate();
  }

  /** What comes together goes together: a message costs more than what is in it. */
  private change(change: JsonObject | string): void {
    if (this.changes.length === 0) setImmediate(() => this.flush());
    this.changes.push(change);
  }

  private flush(): void {
    const { changes } = this;
    this.changes = [];
    if (changes.length > 0) this.send({ what: "objects", changes });
  }

  private send(message: ToAnalyst): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, a window has
    if (this.death === undefined) this.worker.postMessage(message);
  }

  private take(message: FromAnalyst): void {
    if (message.what === "trouble") return this.onTrouble(message.message);
    const pending = this.pending.get(message.id);
    if (message.what === "found") return void pending?.found.push(message.found);
    this.pending.delete(message.id);
    pending?.answer(message.what === "failed" ? message.message : undefined);
  }

  private die(message: string): void {
    if (this.death !== undefined) return;
    this.death = message;
    this.onTrouble(message);
    for (const { answer } of this.pending.values()) answer(message);
  }
}
