import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { killedWithParent } from "./command.js";
import { readState } from "./table-state.js";

interface MonitorOptions {
  /** How nft is started. */
  readonly command: readonly string[];
  readonly isInForce: (table: string) => boolean;
  /** Whether it is one of Tierwall's names: only the agent creates a table of that name or adds to it. */
  readonly isReserved: (table: string) => boolean;
  readonly isOurs: (digest: string) => boolean;
  /** Whether the elements of a set change without a change of the rules. */
  readonly isLearned: (set: string) => boolean;
  /** Another process changed one of the tables, or may have. */
  readonly onForeign: () => void;
}

/**
 * Watches for transactions of other processes on Tierwall's tables. `nft monitor` prints the changes, then a line that ends
 * the transaction:
 *
 *     delete rule inet tierwall egress handle 8
 *     # new generation 9 by process 4711 (nft)
 *
 * The agent's own transactions are known by the state they write. Their process number is no use: it differs in a container.
 */
export class Monitor {
  #child: ChildProcess | undefined;
  #stopped = false;
  #foreign = false;
  #ours = false;
  #others = false;

  constructor(readonly options: MonitorOptions) {}

  /** Resolves when it sees every further transaction. */
  async start(): Promise<void> {
    this.#stopped = false;
    this.#foreign = false;
    this.#ours = false;
    this.#others = false;
    const [program, ...args] = this.options.command;
    const child = spawn(...killedWithParent(program!, [...args, "monitor"]), {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child = child;
    const ended = new Promise<void>((resolve) => {
      child.once("error", () => resolve());
      child.once("exit", () => resolve());
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (this.#child === child) this.read(line);
    });
    void ended.then(() => this.#again(child));
    const listening = async (): Promise<void> => {
      while (child.exitCode === null && child.pid !== undefined && !listens(child.pid)) await sleep(5);
    };
    await Promise.race([ended, listening()]);
  }

  stop(): void {
    this.#stopped = true;
    this.#child?.kill();
    this.#child = undefined;
  }

  /**
   * Pauses while a whole table is written: nft would print each element, which takes longer than writing them. The caller has to
   * compare the table afterwards.
   */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work();
    } finally {
      await this.start();
    }
  }

  /** It lost events or was killed, so changes in the meantime were not seen. */
  async #again(child: ChildProcess): Promise<void> {
    if (this.#child !== child) return;
    await sleep(500);
    if (this.#stopped || this.#child !== child) return;
    await this.start();
    this.options.onForeign();
  }

  read(line: string): void {
    // `# ERROR: We lost some netlink events!`
    if (line.startsWith("# ERROR")) this.#foreign = true;
    if (line.startsWith("# new generation")) {
      // nft does not print changes of some sets: a transaction without a line may concern one of Tierwall's.
      if (!this.#ours && (this.#foreign || !this.#others)) this.options.onForeign();
      this.#foreign = false;
      this.#ours = false;
      this.#others = false;
      return;
    }
    const [, verb, kind, table, name] = /^(\w+) (\w+) inet (\S+)(?: (\S+))?/.exec(line) ?? [];
    const inForce = table !== undefined && this.options.isInForce(table);
    const addition = table !== undefined && this.options.isReserved(table) && verb === "add";
    if (!inForce && !addition) {
      this.#others = true;
      return;
    }
    const state = readState(line);
    if (state && verb === "add" && this.options.isOurs(state.digest)) this.#ours = true;
    if (kind === "element" && name !== undefined && this.options.isLearned(name)) this.#others = true;
    else this.#foreign = true;
  }
}

/** Whether a process has subscribed to netfilter events, from the list of netlink sockets of its network namespace. */
function listens(pid: number): boolean {
  try {
    const sockets = readFileSync(`/proc/${pid}/net/netlink`, "utf8").split("\n");
    return sockets.some((line) => {
      const [, protocol, , groups] = line.trim().split(/\s+/);
      return protocol === "12" && Number.parseInt(groups ?? "0", 16) !== 0 && line.includes(` ${pid} `);
    });
  } catch {
    return false;
  }
}
