import { type ChildProcess, spawn } from "node:child_process";
import type { Finished } from "./command.js";
import { Exclusive } from "./exclusive.js";
import { AnonymousFile } from "./anonymous-file.js";

/** After as many answers another nft is started: what one forgets to give back stays little. */
const mostAnswers = 1000;

/** A question whose answer is known, and that asks nothing of the kernel. When it is answered, so is all before it. */
const lastQuestion = "describe ip ttl";
const lastAnswer = /^payload expression, .*\n/m;
const nonsense = "forget";
/** Longer than that. What comes before it may be long, and comes in many parts. */
const longestEnd = 200;

/**
 * An nft that stays (`nft -i`): it reads a line, does what it says, and reads the next. To start an nft takes as long as a
 * small change, and to end one takes longer, because the kernel then cleans up before it goes on. Whatever is more than a line
 * stands in a file that it is told to include.
 */
export class NftSession {
  readonly #queue = new Exclusive();
  #open: Conversation | undefined;
  #isPossible = true;

  /** `command`: how nft is started. */
  constructor(readonly command: readonly string[]) {}

  /** Whoever waits for that does not wait when there is something to do. */
  start(): Promise<void> {
    return this.#queue.run(async () => void (await this.#conversation()));
  }

  /** Does all of a text, or nothing of it. Undefined: nft cannot be talked to, and nothing was done. */
  transact(text: string): Promise<Finished | undefined> {
    return this.#queue.run(async () => {
      const open = await this.#conversation();
      open?.file.write(text);
      return open?.ask('include "/dev/fd/3"');
    });
  }

  ask(line: string): Promise<Finished | undefined> {
    return this.#queue.run(async () => (await this.#conversation())?.ask(line));
  }

  /** The same about what changes while rules do not: nft would say again what it knows, but for that it forgets all when it fails. */
  askUncached(line: string): Promise<Finished | undefined> {
    return this.#queue.run(async () => {
      const open = await this.#conversation();
      await open?.ask(nonsense);
      return open?.ask(line);
    });
  }

  close(): Promise<void> {
    return this.#queue.run(async () => {
      this.#isPossible = false;
      await this.#open?.end();
    });
  }

  async #conversation(): Promise<Conversation | undefined> {
    const { answers = 0, isOver = true } = this.#open ?? {};
    if (!isOver && answers < mostAnswers) return this.#open;
    if (!isOver) void this.#open?.end();
    this.#open = undefined;
    const file = this.#isPossible ? AnonymousFile.open() : undefined;
    if (file === undefined) return undefined;
    const begun = new Conversation(this.command, file);
    const greeting = await begun.ask("");
    if (greeting.status === 0) this.#open = begun;
    // An nft without a command line of its own refuses; one that was killed may be started again.
    else this.#isPossible = greeting.ended?.startsWith("SIG") ?? false;
    return this.#open;
  }
}

class Conversation {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #said = "";
  #heard: (() => void) | undefined;
  answers = 0;
  isOver = false;

  constructor(
    command: readonly string[],
    readonly file: AnonymousFile,
  ) {
    // JSON is written in large pieces, other answers a few letters at a time. Errors belong between the answers. There is no
    // home for it to write its history to.
    this.#child = spawn("sh", ["-c", 'exec "$@" -j -i 2>&1', "sh", ...command], {
      stdio: ["pipe", "pipe", "ignore", file.descriptor],
      env: { ...process.env, HOME: "/nonexistent" },
    });
    this.#ended = new Promise((resolve) => {
      const over = (why: string) => {
        this.isOver = true;
        resolve(why);
      };
      this.#child.once("error", (error: NodeJS.ErrnoException) => over(error.code ?? error.message));
      this.#child.once("close", (status, signal) => over(signal ?? `exit with status ${status}`));
    });
    void this.#ended.then(() => file.close());
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
      this.#heard?.();
    });
    this.#child.stdin?.on("error", () => {});
  }

  async ask(line: string): Promise<Finished> {
    this.answers++;
    this.#said = "";
    const answered = new Promise<undefined>((resolve) => {
      this.#heard = () => {
        if (lastAnswer.test(this.#said.slice(-longestEnd))) resolve(undefined);
      };
    });
    this.#child.stdin?.write(`${line}\n${lastQuestion}\n`);
    const ended = await Promise.race([answered, this.#ended]);
    if (ended !== undefined) return { status: undefined, stdout: "", stderr: "", ended };
    const text = this.#said.replace(lastAnswer, "");
    const isRefused = /^(\S+: )?Error: /m.test(text);
    return isRefused ? { status: 1, stdout: "", stderr: text } : { status: 0, stdout: text, stderr: "" };
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
