import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A program that judges connections: it answers each line that it is sent, in order (protocol/protocol.go).
 */
export class JudgeProcess {
  #waiting = [];
  #child;

  constructor(program) {
    this.#child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
    const fail = (why) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`${program} ${why}`));
    };
    this.#child.on("error", (error) => fail(`cannot be started: ${error.message}`));
    this.#child.on("exit", (code, signal) => fail(`ended (${signal ?? code})`));
  }

  /** Resolves to `{verdicts}` or `{rejected}`. */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  close() {
    this.#child.stdin.end();
  }
}
