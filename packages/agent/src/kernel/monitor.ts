import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { killedWithParent } from "./parent-death.js";
import { readState } from "./table-state.js";

interface MonitorOptions {
  /** How nft is started. */
  readonly command: readonly string[];
  readonly isInForce: (table: string) => boolean;
  /** Our other name: nobody but us makes a table of that name, or adds to it. */
  readonly isReserved: (table: string) => boolean;
  readonly isOurs: (digest: string) => boolean;
  /** Sets whose elements come and go. */
  readonly isLearned: (set: string) => boolean;
  /** Somebody else changed one of the tables, or may have. */
  readonly onForeign: () => void;
}

/**
 * Watches for transactions of others on our tables. `nft monitor` prints what a transaction did, then a line that ends it:
 *
 *     delete rule inet tierwall egress handle 8
 *     # new generation 9 by process 4711 (nft)
 *
 * Ours are known by the state they write, not by their process: in a container the kernel knows it by another number.
 */
export class Monitor {
  #child: ChildProcess | undefined;
  #stopped = false;
  #foreign = false;
  #ours = false;
  #others = false;

  constructor(readonly options: MonitorOptions) {}

  /** Resolves when nothing can escape it any more. */
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
   * Looks away while a whole table is written: nft would print each element of it, which takes longer than to write them.
   * Who asks for that has to compare everything afterwards.
   */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work();
    } finally {
      await this.start();
    }
  }

  /** It fell behind and lost events, or was killed: whatever happened meanwhile was not seen. */
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
      // Of some sets nft does not print what happens to them: a transaction without a line may be about one of ours.
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

/** Whether a process has subscribed to events of netfilter, by the list of netlink sockets of its network namespace. */
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
