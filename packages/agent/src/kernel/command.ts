import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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

/**
 * A file without a name: other processes cannot open it, and it disappears when it is closed. nft writes its output in very
 * small pieces: that is cheap for a file, while a pipe would wake its reader each time.
 */
export class AnonymousFile {
  private constructor(readonly descriptor: number) {}

  /** Undefined if no file can be written, not even in memory. */
  static open(): AnonymousFile | undefined {
    for (const parent of ["/dev/shm", tmpdir()])
      try {
        const folder = mkdtempSync(join(parent, "tierwall-"));
        try {
          return new AnonymousFile(openSync(join(folder, "file"), "wx+", 0o600));
        } finally {
          rmSync(folder, { recursive: true });
        }
      } catch {}
    return undefined;
  }

  write(text: string): void {
    ftruncateSync(this.descriptor);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at, bytes.length - at, at);
  }

  read(): string {
    const bytes = Buffer.alloc(fstatSync(this.descriptor).size);
    let at = 0;
    for (let more = 1; more > 0 && at < bytes.length; at += more)
      more = readSync(this.descriptor, bytes, at, bytes.length - at, at);
    return bytes.toString("utf8", 0, at);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/**
 * The command line of a program that is killed when the agent ends, also if the agent is killed. A program that outlived it
 * would keep resources that the next agent needs.
 *
 * `setpriv` asks the kernel for the signal. The agent may be killed before that: so a shell then compares its parent with the
 * agent, and starts the program only if the agent still runs.
 */
export function killedWithParent(
  program: string,
  args: readonly string[],
  parentPid: number | string = process.pid,
): readonly [string, readonly string[]] {
  const setpriv = findProgram("setpriv", searchPath());
  if (setpriv === undefined) return [program, args];
  const unlessOrphaned = ["sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', String(parentPid)];
  return [setpriv, ["--pdeathsig", "KILL", ...unlessOrphaned, program, ...args]];
}

export function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export const searchPath = (): readonly string[] => [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  "/usr/bin",
];

/** Runs tasks one after the other, in the order of the calls. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
