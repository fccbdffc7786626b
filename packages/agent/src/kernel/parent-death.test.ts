import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { fewerRuns } from "../../../../test/slice.mjs";
import { findProgram, killedWithParent, searchPath } from "./command.js";

const reason = findProgram("setpriv", searchPath()) === undefined ? "setpriv is not installed" : undefined;
const patience = { timeout: 60_000 };

describe.skipIf(reason)(`what the agent starts${reason ? ` (skipped: ${reason})` : ""}`, () => {
  /** Arguments for a process that starts `sleep`, prints its process ID, and then runs `andThen`. */
  const starting = (andThen: string): string[] => {
    const [program, args] = killedWithParent("sleep", ["600"], "OUR PID");
    return [
      "-e",
      `const args = ${JSON.stringify(args)}.map((arg) => (arg === "OUR PID" ? String(process.pid) : arg));
      const child = require("node:child_process").spawn(${JSON.stringify(program)}, args, { stdio: "ignore" });
      require("node:fs").writeSync(1, String(child.pid));
      ${andThen}`,
    ];
  };

  test("ends when the agent is killed", async () => {
    const agent = spawn(process.execPath, starting(""), { stdio: ["ignore", "pipe", "inherit"] });
    const pid = await new Promise<number>((resolve) =>
      agent.stdout.once("data", (text) => resolve(Number(text))),
    );
    await vi.waitFor(() => expect(nameOf(pid)).toBe("sleep"), patience);
    agent.kill("SIGKILL");
    await vi.waitFor(() => expect(nameOf(pid)).toBeUndefined(), patience);
  });

  test("ends, too, if the agent is killed while it is started", { timeout: 60_000 }, async () => {
    for (let round = 0; round < fewerRuns(20); round++) {
      const { stdout } = spawnSync(process.execPath, starting('process.kill(process.pid, "SIGKILL");'));
      await vi.waitFor(() => expect(nameOf(Number(stdout))).toBeUndefined(), { timeout: 2000 });
    }
  });
});

/** The name of a process that is alive. One that has ended stays in /proc until its parent has asked after it. */
function nameOf(pid: number): string | undefined {
  const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return /^State:\s+[ZX]/m.test(status) ? undefined : /^Name:\s+(\S+)$/m.exec(status)?.[1];
}
