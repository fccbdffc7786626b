import { Worker } from "node:worker_threads";
import type { Readable, Unread } from "@tierwall/core/analysis";
import type { JsonObject } from "@tierwall/core/manifest";
import type { EditWarning } from "@tierwall/core/report";
import type { LiveOptions } from "@tierwall/core/state";
import type { Follower } from "../cluster/cluster-source.js";
import { messageOf } from "../cluster/connection.js";
import { type Analyst, type Found, type PolicyEdit, type Stage, stages } from "./analyst.js";

/** What is known of an edit when an answer is due. */
export interface Judgement {
  readonly warnings: readonly EditWarning[];
  /** What was not looked at. */
  readonly missing: readonly Stage[];
  /** What was not named, because the reader may not read it. */
  readonly unread: readonly Unread[];
  /** Too many edits wait to be judged: this one was not looked at. */
  readonly busy?: boolean;
  /** The error, if the analysis failed. */
  readonly failure?: string;
}

/** Finds out what an edit would do, or as much of it as it can before the deadline (`Date.now()`), for a reader. */
export interface Judge {
  judge(edit: PolicyEdit, readable: Readable, deadline: number): Promise<Judgement>;
  /** The answer about guarantees; undefined where there was none in time. */
  ask<Q extends Question>(question: Q, deadline?: number): Promise<AnswerTo<Q> | undefined>;
}

/** About guarantees. */
export type Question =
  /** Which ones would an edit break? */
  | { readonly what: "check"; readonly edit: PolicyEdit }
  /** Does one of the cluster hold? */
  | { readonly what: "holds"; readonly key: string }
  /** Would one hold that is not in the cluster yet? */
  | { readonly what: "try"; readonly object: JsonObject };

type AnswerTo<Q extends Question> = {
  readonly check: ReturnType<Analyst["check"]>;
  readonly holds: ReturnType<Analyst["holds"]>;
  readonly try: ReturnType<Analyst["wouldHold"]>;
}[Q["what"]];

export interface AnalystOptions extends LiveOptions {
  /** Edits are judged: an engine is kept for them. Otherwise only guarantees are decided. */
  readonly judges: boolean;
}

export type ToAnalyst =
  | { readonly what: "objects"; readonly changes: readonly (JsonObject | string)[] }
  | {
      readonly what: "judge";
      readonly id: number;
      readonly edit: PolicyEdit;
      readonly readable: Readable;
      readonly deadline: number;
    }
  | { readonly what: "ask"; readonly id: number; readonly question: Question; readonly deadline: number };

export type FromAnalyst =
  | { readonly what: "found"; readonly id: number; readonly found: Found }
  | { readonly what: "done"; readonly id: number }
  | { readonly what: "answer"; readonly id: number; readonly answer: AnswerTo<Question> }
  | { readonly what: "failed"; readonly id: number; readonly message: string }
  | { readonly what: "trouble"; readonly message: string };

/** An edit that the thread has not answered. */
interface Pending {
  readonly bytes: number;
  readonly onFound?: (found: Found) => void;
  readonly onAnswer?: (answer: AnswerTo<Question>) => void;
  /** The caller may have stopped waiting by then. */
  readonly answer: (failure?: string) => void;
}

/** Edits that the thread has not answered, whether a request still waits for them or not. Messages that wait cannot be withdrawn. */
const mostWaiting = 32;
const mostBytesWaiting = 16 * 1024 * 1024;
/** Milliseconds: timers take no longer ones. */
const longestTimer = 2 ** 31 - 1;

/** An analyst in a thread of its own. What it has found by the deadline is the answer, even if it is not finished. */
export class AnalystThread implements Follower, Judge {
  private readonly worker: Worker;
  private changes: (JsonObject | string)[] = [];
  private readonly pending = new Map<number, Pending>();
  private asked = 0;
  private death: string | undefined;

  constructor(
    options: Partial<AnalystOptions>,
    private readonly onTrouble: (message: string) => void,
    entry: URL = new URL("./analyst-worker.js", import.meta.url),
  ) {
    const workerData: AnalystOptions = { judges: true, ...options };
    this.worker = new Worker(entry, { workerData });
    this.worker.on("message", (message: FromAnalyst) => this.take(message));
    this.worker.on("error", (cause) => this.die(messageOf(cause)));
    this.worker.on("exit", () => this.die("the thread that judges edits has ended"));
  }

  /** Why it will never answer again; undefined while it can. */
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
    if (this.isBusy(bytes)) return { warnings: [], missing: stages, unread: [], busy: true };
    const found: Found[] = [];
    const pending = { bytes, onFound: (one: Found) => found.push(one) };
    const failure = await this.answered(pending, deadline, (id) => ({
      what: "judge",
      id,
      edit,
      readable,
      deadline,
    }));
    const seen = new Set(found.map(({ stage }) => stage));
    return {
      warnings: found.flatMap(({ warnings }) => warnings),
      missing: stages.filter((stage) => !seen.has(stage)),
      unread: found.at(-1)?.unread ?? [],
      ...(failure === undefined ? {} : { failure }),
    };
  }

  async ask<Q extends Question>(question: Q, deadline?: number): Promise<AnswerTo<Q> | undefined> {
    const { bytes = 0 } = question.what === "check" ? question.edit : {};
    if (this.isBusy(bytes)) return undefined;
    let answer: AnswerTo<Q> | undefined;
    const pending = { bytes, onAnswer: (given: AnswerTo<Question>) => (answer = given as AnswerTo<Q>) };
    const by = deadline ?? Number.POSITIVE_INFINITY;
    const failure = await this.answered(pending, by, (id) => ({ what: "ask", id, question, deadline: by }));
    if (failure !== undefined && this.death === undefined) this.onTrouble(failure);
    return answer;
  }

  private isBusy(bytes: number): boolean {
    const waiting = [...this.pending.values()].reduce((sum, one) => sum + one.bytes, 0);
    return this.pending.size >= mostWaiting || waiting + bytes > mostBytesWaiting;
  }

  /** Resolves when all of it is answered, with why not where it failed, or at the deadline. */
  private async answered(
    pending: Omit<Pending, "answer">,
    deadline: number,
    message: (id: number) => ToAnalyst,
  ): Promise<string | undefined> {
    this.flush();
    const id = this.asked++;
    return new Promise<string | undefined>((resolve) => {
      if (this.death !== undefined) return resolve(this.death);
      const wait = Math.min(Math.max(0, deadline - Date.now()), longestTimer);
      const timer = setTimeout(() => resolve(undefined), wait);
      const answer = (failure?: string) => {
        clearTimeout(timer);
        resolve(failure);
      };
      this.pending.set(id, { ...pending, answer });
      this.send(message(id));
    });
  }

  async stop(): Promise<void> {
    this.die("it was stopped", "expected");
    await this.worker.terminate();
  }

  /** Changes that come together are sent together: a message costs more than its contents. */
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
    if (message.what === "found") return pending?.onFound?.(message.found);
    this.pending.delete(message.id);
    if (message.what === "answer") pending?.onAnswer?.(message.answer);
    pending?.answer(message.what === "failed" ? message.message : undefined);
  }

  private die(message: string, expected?: "expected"): void {
    if (this.death !== undefined) return;
    this.death = message;
    if (expected === undefined) this.onTrouble(message);
    for (const { answer } of this.pending.values()) answer(message);
  }
}
