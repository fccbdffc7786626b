import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The controller as users run it. */
export class RunningController {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves when it leads, with the seconds that it took. */
  static async start(
    kubeconfig: string,
    more: readonly string[] = [],
  ): Promise<{ controller: RunningController; seconds: number }> {
    const bin = fileURLToPath(new URL("../../../packages/cli/bin/tierwall.js", import.meta.url));
    const words = ["controller", "--kubeconfig", kubeconfig, "--metrics-address", "none", ...more];
    const began = performance.now();
    const child = spawn(process.execPath, [bin, "--no-config", ...words], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (status) => reject(new Error(`the controller ended with ${status}`)));
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (line.includes('"msg":"leading"')) resolve();
      });
    });
    return { controller: new RunningController(child), seconds: (performance.now() - began) / 1000 };
  }

  megabytes(): { readonly now: number; readonly most: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    const of = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024) / 1e6;
    return { now: of("VmRSS"), most: of("VmHWM") };
  }

  async stop(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await exit;
  }
}
