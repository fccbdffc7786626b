import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/*
 * A process that opens connections in a lab runs before it gets its commands: the time that a process needs to start on a busy
 * machine is never taken for a dropped packet.
 */

/** The output of a process by line, and the callers that wait for it. */
class Lines {
  readonly #waiting = new Map<string, { resolve: (rest: string) => void; reject: (cause: Error) => void }>();

  constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [first = "", ...rest] = line.split(" ");
      this.#waiting.get(first)?.resolve(rest.join(" "));
      this.#waiting.delete(first);
    });
    // It may have been killed meanwhile, which is reported below.
    child.stdin!.on("error", () => undefined);
    child.once("close", () => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${child.spawnargs.join(" ")} ended`));
    });
  }

  send(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  /** The rest of the next line that begins with this word. */
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

  /** Whether a TCP connection can be opened. One that is allowed opens at once; one that is dropped times out. */
  async reaches(address: string, port: number, milliseconds: number): Promise<boolean> {
    const number = String(++this.#calls);
    const outcome = this.#lines.after(number);
    this.#lines.send(`${number} ${address} ${port} ${milliseconds}`);
    return (await outcome) === "taken";
  }
}

/** One TCP connection that stays open, opened by `sending-pod.mjs`; the server echoes what it receives. */
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
    this.#lines.send(word);
    await heard;
  }

  /** Whether what is said now does not come back for ten times as long as it usually takes. */
  isSilent(): Promise<boolean> {
    const heard = this.echo().then(() => false);
    const silence = new Promise<boolean>((end) => setTimeout(() => setImmediate(() => end(true)), 500));
    return Promise.race([heard, silence]);
  }
}
