import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { NodeLab } from "./node-lab.js";

/** What the agent logs: a JSON object a line. */
export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** `tierwall agent …` in the node of a lab, and what it says. */
export class RunningAgent {
  readonly #lines: LogLine[] = [];
  readonly #output: string[] = [];
  readonly exit: Promise<number | null>;
  #read = 0;

  constructor(readonly child: ChildProcess) {
    createInterface({ input: child.stderr! }).on("line", (line) => this.#lines.push(logLine(line)));
    createInterface({ input: child.stdout! }).on("line", (line) => this.#output.push(line));
    this.exit = once(child, "close").then(([status]) => status as number | null);
  }

  /** With the files of the lab's folder; `more` comes behind what every test needs. */
  static start(lab: NodeLab, ...more: readonly string[]): RunningAgent {
    return new RunningAgent(lab.tierwall("agent", ...runFlags(lab), ...more));
  }

  /** The same, once its first rules are in the kernel. */
  static async ready(lab: NodeLab, ...more: readonly string[]): Promise<RunningAgent> {
    const agent = RunningAgent.start(lab, ...more);
    await agent.says("rules are in the kernel");
    return agent;
  }

  get output(): readonly string[] {
    return this.#output;
  }

  get said(): string {
    return this.#lines.map((line) => JSON.stringify(line)).join("\n");
  }

  /** The next line with these words, after the one that was waited for before. */
  async says(words: string): Promise<LogLine> {
    for (;;) {
      while (this.#read < this.#lines.length) {
        const line = this.#lines[this.#read++]!;
        if (line.msg.includes(words)) return line;
      }
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`it ended without saying \`${words}\`:\n${this.said}`);
      await new Promise((next) => setTimeout(next, 10));
    }
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }
}

export function runFlags({ folder, control }: NodeLab): readonly string[] {
  const flags = {
    "-f": `${folder}/manifests`,
    "--node": "n1",
    "--pod-range": "10.9.0.0/24",
    "--control": control,
    "--state-dir": `${folder}/state`,
  };
  return Object.entries(flags).flat();
}

function logLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}
