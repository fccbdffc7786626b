import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = join(dirname(fileURLToPath(import.meta.url)), "../bin/tierwall.js");

/** A command that runs until it gets a signal. */
export class RunningCommand {
  private readonly process: ChildProcess;
  private printed = "";
  private readonly listeners = new Set<() => void>();
  /** Its exit status. */
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(process.execPath, [bin, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, KUBECONFIG: "/nonexistent/kubeconfig", NO_COLOR: "1", ...env },
    });
    for (const stream of [this.process.stdout!, this.process.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => this.hear(text));
    this.ended = new Promise((resolve) => this.process.once("close", (status) => resolve(status)));
  }

  /** All that it has printed. */
  get output(): string {
    return this.printed;
  }

  /** Waits until it has printed something like this; rejects when it ends without. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.printed);
        if (found === null) return;
        this.listeners.delete(look);
        resolve(found);
      };
      this.listeners.add(look);
      void this.ended.then(() => reject(new Error(`it ended, and printed only: ${this.printed}`)));
      look();
    });
  }

  /** Closes stdout and stderr, as a log reader that went away does. */
  stopReading(): void {
    this.process.stdout!.destroy();
    this.process.stderr!.destroy();
  }

  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    this.process.kill(signal);
    return this.ended;
  }

  private hear(text: string): void {
    this.printed += text;
    for (const listener of this.listeners) listener();
  }
}
