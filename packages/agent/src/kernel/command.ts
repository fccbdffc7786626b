import { spawn } from "node:child_process";

export interface Finished {
  /** `undefined` where the program was ended by a signal, or never began. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not end by itself: `SIGKILL`, `ENOENT`. */
  readonly ended?: string;
}

/** Runs a program to its end. Never throws: a program that is not there is an answer, too. */
export function run(command: readonly string[], input = ""): Promise<Finished> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program!, args, { stdio: ["pipe", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const finish = (status: number | null, ended?: string | null): void =>
      resolve({
        status: status ?? undefined,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
        ...(ended && { ended }),
      });
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (error: NodeJS.ErrnoException) => finish(null, error.code ?? error.message));
    child.on("close", finish);
    // A program that ends before it read all closes the pipe; its status says why.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
