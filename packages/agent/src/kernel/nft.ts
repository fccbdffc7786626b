import { isObject } from "@tierwall/core/manifest";
import { type Finished, run } from "./command.js";
import type { NftSession } from "./nft-session.js";
import { done, failed, type Outcome } from "./outcome.js";

/** Longer texts get a separate nft process, which frees its memory when it ends. */
const longest = 2 ** 18;

export interface Milliseconds {
  readonly compute: number;
  readonly nft: number;
}

/** Reads the time that passed since it was started, and how much of it nft took. */
export type Clock = () => Milliseconds;

/** Calls nft in the network namespace of this process. */
export class Nft {
  #milliseconds = 0;

  /**
   * `command`: how nft is started; tests start it in another namespace. `session`: a running nft. `whyNoWrites`: called before
   * each change; returns why it must not happen.
   */
  constructor(
    readonly command: readonly string[] = ["nft"],
    readonly session?: NftSession,
    private readonly whyNoWrites: () => string | undefined = () => undefined,
  ) {}

  startClock(): Clock {
    const [since, before] = [performance.now(), this.#milliseconds];
    return () => {
      const nft = this.#milliseconds - before;
      return { compute: performance.now() - since - nft, nft };
    };
  }

  /** Applies everything or nothing. `interrupted`: nft was killed, and it is unknown which of the two happened. */
  async transact(text: string): Promise<Outcome<void> & { readonly interrupted?: boolean }> {
    const refusal = this.whyNoWrites();
    if (refusal !== undefined) return failed(refusal);
    const finished = await this.#timed(
      async () =>
        (text.length > longest ? undefined : await this.session?.transact(text)) ??
        run([...this.command, "-f", "-"], text),
    );
    if (finished.status === 0) return done(undefined);
    // A program that could not be started changed nothing.
    const interrupted = finished.ended !== undefined && !/^E[A-Z]/.test(finished.ended);
    return { ...failed(complaint(finished, text)), interrupted };
  }

  /** Whether the kernel accepts it, in a dry run. */
  async accepts(text: string): Promise<boolean> {
    const finished = await this.#timed(() => run([...this.command, "-c", "-f", "-"], text));
    return finished.status === 0;
  }

  /** The text of rules and sets as they are compared: with numbers instead of names, without counts and timers. */
  list(...what: readonly string[]): Promise<Outcome<string>> {
    return this.ask("-s", "-nn", "list", ...what);
  }

  /** The JSON answer of nft as objects. Uses the session, so no process is started. */
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
      ? failed(`nft answered in an unknown format: ${answer.value.slice(0, 80)}`)
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

/** nft prints `/dev/stdin:12:1-40: Error: …` and then the line, which can be megabytes long. */
function complaint({ status, stderr, ended }: Finished, text: string): string {
  if (ended === "ENOENT") return "nft is not installed: install the package `nftables`";
  if (ended !== undefined) return `nft was ended by ${ended}`;
  if (/Operation not permitted/.test(stderr)) {
    return "nft is not permitted to read or change rules: run as root or with the capability NET_ADMIN";
  }
  const [, line, words] = /^\S*?:(\d+):\d+(?:-\d+)?: Error: (.*)$/m.exec(stderr) ?? [];
  if (line === undefined || words === undefined) {
    const message = stderr.trim().split("\n", 1)[0];
    return `nft failed with status ${status}${message ? `: ${message.replace(/^Error: /, "")}` : ""}`;
  }
  const about = text.split("\n")[Number(line) - 1]?.trim() ?? "";
  return `nft refused line ${line} \`${about.length > 120 ? `${about.slice(0, 120)}…` : about}\`: ${words}`;
}
