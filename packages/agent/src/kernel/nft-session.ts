import { type ChildProcess, spawn } from "node:child_process";
import { AnonymousFile, Exclusive, type Finished } from "./command.js";

/** After this many answers nft is restarted, to limit what it leaks. */
const mostAnswers = 1000;

/** A query with a known answer that does not involve the kernel. Its answer shows that everything before it was answered. */
const lastQuestion = "describe ip ttl";
const lastAnswer = /^payload expression, .*\n/m;
/** Not a command. When nft fails, it drops its cache. */
const invalidCommand = "forget";
/** More than the length of the last answer. What comes before can be long, and arrives in many parts. */
const longestEnd = 200;

/**
 * An nft process that stays (`nft -i`): it reads one command per line. Starting nft takes as long as a small change, and ending
 * it takes longer, because the kernel cleans up first. Commands of more than a line are in a file that it includes.
 */
export class NftSession {
  readonly #queue = new Exclusive();
  #open: Conversation | undefined;
  #isPossible = true;

  /** `command`: how nft is started. */
  constructor(readonly command: readonly string[]) {}

  /** Starts nft in advance, so that the first command need not wait for it. */
  start(): Promise<void> {
    return this.#queue.run(async () => void (await this.#conversation()));
  }

  /** Applies a text completely or not at all. Undefined: no session is possible, and nothing was done. */
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

  /** For data that changes while the rules do not: nft would answer from its cache, which an invalid command clears. */
  askUncached(line: string): Promise<Finished | undefined> {
    return this.#queue.run(async () => {
      const open = await this.#conversation();
      await open?.ask(invalidCommand);
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
    // An nft that was built without an interactive mode refuses; one that was killed can be started again.
    else this.#isPossible = greeting.ended?.startsWith("SIG") ?? false;
    return this.#open;
  }
}

class Conversation {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #output = "";
  #onOutput: (() => void) | undefined;
  answers = 0;
  isOver = false;

  constructor(
    command: readonly string[],
    readonly file: AnonymousFile,
  ) {
    // JSON is written in large pieces, other output a few characters at a time. Errors have to be in order with the answers.
    // Without a home folder, it writes no history.
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
      this.#output += text;
      this.#onOutput?.();
    });
    this.#child.stdin?.on("error", () => {});
  }

  async ask(line: string): Promise<Finished> {
    this.answers++;
    this.#output = "";
    const answered = new Promise<undefined>((resolve) => {
      this.#onOutput = () => {
        if (lastAnswer.test(this.#output.slice(-longestEnd))) resolve(undefined);
      };
    });
    this.#child.stdin?.write(`${line}\n${lastQuestion}\n`);
    const ended = await Promise.race([answered, this.#ended]);
    if (ended !== undefined) return { status: undefined, stdout: "", stderr: "", ended };
    const text = this.#output.replace(lastAnswer, "");
    const isRefused = /^(\S+: )?Error: /m.test(text);
    return isRefused ? { status: 1, stdout: "", stderr: text } : { status: 0, stdout: text, stderr: "" };
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
