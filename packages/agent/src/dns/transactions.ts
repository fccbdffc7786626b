import { messageOf } from "@tierwall/kube";
import type { SetChange } from "../ruleset/set-change.js";

/** Writes changes in one transaction. Resolves to the problem, if there was one. */
export type WriteChanges = (changes: readonly SetChange[]) => Promise<string | undefined>;

interface Request {
  readonly changes: readonly SetChange[];
  readonly done: (problem: string | undefined) => void;
}

/** Runs one transaction at a time. Requests that arrive meanwhile share the next one. */
export class Transactions {
  #waiting: Request[] = [];
  #running = false;

  constructor(private readonly write: WriteChanges) {}

  async submit(changes: readonly SetChange[]): Promise<string | undefined> {
    if (changes.length === 0) return undefined;
    const result = new Promise<string | undefined>((done) => this.#waiting.push({ changes, done }));
    if (!this.#running) void this.#run();
    return result;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const requests = this.#waiting;
      this.#waiting = [];
      await this.#together(requests);
    }
    this.#running = false;
  }

  async #together(requests: readonly Request[]): Promise<void> {
    const problem = await this.#attempt(requests.flatMap(({ changes }) => changes));
    if (problem === undefined || requests.length === 1) {
      for (const { done } of requests) done(problem);
      return;
    }
    // One request may be refused (a full set); the others must not fail with it.
    for (const { changes, done } of requests) done(await this.#attempt(changes));
  }

  async #attempt(changes: readonly SetChange[]): Promise<string | undefined> {
    try {
      return await this.write(changes);
    } catch (error) {
      return messageOf(error);
    }
  }
}
