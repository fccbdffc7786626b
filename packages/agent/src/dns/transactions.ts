import { messageOf } from "@tierwall/kube";
import type { SetChange } from "../ruleset/set-change.js";

/** Writes changes in one transaction; resolves to what went wrong, if anything did. */
export type WriteChanges = (changes: readonly SetChange[]) => Promise<string | undefined>;

interface Request {
  readonly changes: readonly SetChange[];
  readonly done: (problem: string | undefined) => void;
}

/** One transaction at a time; whoever comes while one runs shares the next. */
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
    // What one asks for may be refused (a set that is full): the others are not to suffer for it.
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
