import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ControlPlane } from "./control-plane.js";

const bin = fileURLToPath(new URL("../../packages/cli/bin/tierwall.js", import.meta.url));

interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** `tierwall controller`, and what it says. */
export class RunningController {
  readonly exit: Promise<number | null>;
  private readonly lines: LogLine[] = [];

  private constructor(readonly child: ChildProcess) {
    createInterface({ input: child.stderr! }).on("line", (line) => this.lines.push(lineIn(line)));
    this.exit = once(child, "close").then(([status]) => status as number | null);
  }

  static start(plane: ControlPlane, ...more: readonly string[]): RunningController {
    return RunningController.begin([], plane, more);
  }

  /** One whose garbage never waits: what is in use is what is held. */
  static startTidy(plane: ControlPlane): RunningController {
    return RunningController.begin(["--gc-global"], plane, []);
  }

  private static begin(node: readonly string[], plane: ControlPlane, more: readonly string[]) {
    const flags = ["--kubeconfig", plane.kubeconfig(), "--metrics-address", "127.0.0.1:0", ...more];
    const args = [...node, bin, "--no-config", "controller", ...flags];
    return new RunningController(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] }));
  }

  get said(): string {
    return this.lines.map((line) => JSON.stringify(line)).join("\n");
  }

  /** A line with these words, whether it was said already or is still to come. */
  async says(words: string, field?: readonly [name: string, value: unknown]): Promise<LogLine> {
    const isMeant = (line: LogLine) => field === undefined || line[field[0]] === field[1];
    for (;;) {
      const found = this.lines.find((line) => line.msg.includes(words) && isMeant(line));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`it ended without saying \`${words}\`:\n${this.said}`);
      await new Promise((next) => setTimeout(next, 20));
    }
  }

  async get(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { port } = await this.says("serving");
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  }

  /** What a metric is, with these labels: `tierwall_status_writes_total{result="written"}`; 0 where it is not there. */
  async metric(name: string): Promise<number> {
    const { text } = await this.get("/metrics");
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }
}

function lineIn(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}
