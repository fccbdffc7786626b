import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process of the cluster, with its log in a file. It ends with us, whatever happens. */
export class Daemon {
  private readonly child: ChildProcess;

  constructor(
    readonly name: string,
    private readonly log: string,
    command: readonly string[],
  ) {
    const file = openSync(log, "a");
    // The kernel sees to it that it ends with us, also when we are killed.
    this.child = spawn("setpriv", ["--pdeathsig", "KILL", ...command], { stdio: ["ignore", file, file] });
    closeSync(file);
  }

  async until(isThere: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end && this.isRunning) {
      if (await isThere()) return;
      await sleep(200);
    }
    throw new Error(`${this.name} did not come up:\n${this.lastWords}`);
  }

  get lastWords(): string {
    return readFileSync(this.log, "utf8").slice(-3000);
  }

  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async end(): Promise<void> {
    if (!this.isRunning) return;
    const exit = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await exit;
  }
}
