import { isObject } from "@tierwall/core/manifest";
import { type Finished, run } from "./command.js";
import type { NftSession } from "./nft-session.js";
import { done, failed, type Outcome } from "./outcome.js";

/** What is longer is done by an nft of its own, which gives back the memory it needed. */
const longest = 2 ** 18;

/** Talks to nftables of the network namespace that this process is in. */
export class Nft {
  #milliseconds = 0;

  /**
   * `command`: how nft is started; tests start it in a namespace of theirs. `session`: one that need not be started.
   * `whyNoWrites`: asked before each change.
   */
  constructor(
    readonly command: readonly string[] = ["nft"],
    readonly session?: NftSession,
    private readonly whyNoWrites: () => string | undefined = () => undefined,
  ) {}

  /** How long all that it was asked took so far. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** All of it, or nothing. `interrupted`: nft was killed, and which of the two it was is not known. */
  async transact(text: string): Promise<Outcome<void> & { readonly interrupted?: boolean }> {
    const refusal = this.whyNoWrites();
    if (refusal !== undefined) return failed(refusal);
    const finished = await this.#timed(
      async () =>
        (text.length > longest ? undefined : await this.session?.transact(text)) ??
        run([...this.command, "-f", "-"], text),
    );
    if (finished.status === 0) return done(undefined);
    // A program that could not be started did nothing.
    const interrupted = finished.ended !== undefined && !/^E[A-Z]/.test(finished.ended);
    return { ...failed(complaint(finished, text)), interrupted };
  }

  /** Whether the kernel would take it; it is told to forget it again. */
  async wouldTake(text: string): Promise<boolean> {
    const finished = await this.#timed(() => run([...this.command, "-c", "-f", "-"], text));
    return finished.status === 0;
  }

  /** Text of rules and sets as they are compared: numbers for names, nothing that counts or runs. */
  list(...what: readonly string[]): Promise<Outcome<string>> {
    return this.ask("-s", "-nn", "list", ...what);
  }

  /** What it has to say as JSON, an object for each thing. Takes as long as nft needs to think: it is not started for that. */
  async objects(...words: readonly string[]): Promise<Outcome<readonly object[]>> {
    const refusal = words[0] === "reset" ? this.whyNoWrites() : undefined;
    if (refusal !== undefined) return failed(refusal);
    const line = words.join(" ");
    const finished = await this.#timed(() =>
      words[0] === "reset" ? this.session?.askUncached(line) : this.session?.ask(line),
    );
    const isAnswered = finished !== undefined && finished.ended === undefined;
    const answer = isAnswered ? answerOf(finished, words) : await this.ask("-j", ...words);
    if (!answer.ok) return answer;
    const objects = objectsIn(answer.value);
    return objects === undefined
      ? failed(`nft answered in a form that is not known: ${answer.value.slice(0, 80)}`)
      : done(objects);
  }

  async ask(...args: readonly string[]): Promise<Outcome<string>> {
    return answerOf(await this.#timed(() => run([...this.command, ...args])), args);
  }

  async #timed<T>(work: () => T | Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await work();
    } finally {
      this.#milliseconds += performance.now() - since;
    }
  }
}

const answerOf = (finished: Finished, words: readonly string[]): Outcome<string> =>
  finished.status === 0 ? done(finished.stdout) : failed(complaint(finished, words.join(" ")));

/** `{"nftables": [{"metainfo": …}, {"counter": …}]}`. */
function objectsIn(json: string): readonly object[] | undefined {
  const answer: unknown = JSON.parse(json);
  return isObject(answer) && Array.isArray(answer.nftables) ? answer.nftables.filter(isObject) : undefined;
}

const missing = /No such file or directory/;
export const isMissing = (outcome: Outcome<unknown>): boolean => !outcome.ok && missing.test(outcome.message);

/** nft says `/dev/stdin:12:1-40: Error: …` and then draws the line, which may be megabytes long. */
function complaint({ status, stderr, ended }: Finished, text: string): string {
  if (ended === "ENOENT") return "nft is not installed: install the package `nftables`";
  if (ended !== undefined) return `nft was ended by ${ended}`;
  if (/Operation not permitted/.test(stderr)) {
    return "nft may not read or change rules: run as root, or with the capability NET_ADMIN";
  }
  const [, line, words] = /^\S*?:(\d+):\d+(?:-\d+)?: Error: (.*)$/m.exec(stderr) ?? [];
  if (line === undefined || words === undefined) {
    const said = stderr.trim().split("\n", 1)[0];
    return `nft failed with status ${status}${said ? `: ${said.replace(/^Error: /, "")}` : ""}`;
  }
  const about = text.split("\n")[Number(line) - 1]?.trim() ?? "";
  return `nft refused line ${line} \`${about.length > 120 ? `${about.slice(0, 120)}…` : about}\`: ${words}`;
}
