import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/*
 * Whoever opens connections in a lab runs already when it is told to: how long a process takes to start on a busy machine is
 * never taken for a packet that was dropped.
 */

/** What a process says line by line, and who waits for it. */
class Lines {
  readonly #waiting = new Map<string, { resolve: (rest: string) => void; reject: (cause: Error) => void }>();

  constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [first = "", ...rest] = line.split(" ");
      this.#waiting.get(first)?.resolve(rest.join(" "));
      this.#waiting.delete(first);
    });
    // It may have been killed meanwhile, which is told below.
    child.stdin!.on("error", () => undefined);
    child.once("close", () => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${child.spawnargs.join(" ")} ended`));
    });
  }

  tell(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  /** What stands behind the first word of the next line that begins with it. */
  after(first: string): Promise<string> {
    return new Promise((resolve, reject) => this.#waiting.set(first, { resolve, reject }));
  }
}

/** Opens connections from one place of a lab, with `answering-pod.mjs` there. */
export class Caller {
  readonly listening: Promise<unknown>;
  readonly #lines: Lines;
  #calls = 0;

  constructor(child: ChildProcess) {
    this.#lines = new Lines(child);
    this.listening = this.#lines.after("listening");
  }

  /** Whether a TCP connection can be opened. Who is let through is so at once; who is dropped is waited for, for a while. */
  async reaches(address: string, port: number, milliseconds: number): Promise<boolean> {
    const number = String(++this.#calls);
    const outcome = this.#lines.after(number);
    this.#lines.tell(`${number} ${address} ${port} ${milliseconds}`);
    return (await outcome) === "taken";
  }
}

/** One TCP connection that stays open, with `talking-pod.mjs` at its end; whoever answers it repeats what it hears. */
export class Talker {
  readonly #lines: Lines;
  #said = 0;

  constructor(child: ChildProcess) {
    this.#lines = new Lines(child);
  }

  /** Resolves when what is said now has come back. */
  async echo(): Promise<void> {
    const word = String(++this.#said);
    const heard = this.#lines.after(word);
    this.#lines.tell(word);
    await heard;
  }

  /** Whether what is said now does not come back for ten times as long as it usually takes. */
  isSilent(): Promise<boolean> {
    const heard = this.echo().then(() => false);
    const silence = new Promise<boolean>((end) => setTimeout(() => setImmediate(() => end(true)), 500));
    return Promise.race([heard, silence]);
  }
}
