import { spawn } from "node:child_process";
import { AnonymousFile } from "./anonymous-file.js";

export interface Finished {
  /** `undefined` if the program was ended by a signal, or could not be started. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it has no status: `SIGKILL`, `ENOENT`. */
  readonly ended?: string;
}

/** Runs a program to its end. Never throws, also if the program does not exist. */
export function run(command: readonly string[], input = ""): Promise<Finished> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const [source, target] = [input === "" ? undefined : AnonymousFile.open(), AnonymousFile.open()];
    source?.write(input);
    const child = spawn(program!, args, {
      stdio: [source?.descriptor ?? "pipe", target?.descriptor ?? "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let isFinished = false;
    const finish = (status: number | null, ended?: string | null): void => {
      if (isFinished) return;
      isFinished = true;
      resolve({
        status: status ?? undefined,
        stdout: target?.read() ?? Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
        ...(ended && { ended }),
      });
      source?.close();
      target?.close();
    };
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.once("error", (error: NodeJS.ErrnoException) => finish(null, error.code ?? error.message));
    child.once("close", finish);
    // A program that ends before it has read everything closes the pipe; its status shows why.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
