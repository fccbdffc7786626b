import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * How to start a program that ends when we do, also where we are killed. Left behind, it would keep what the next agent needs.
 *
 * The kernel sends the signal to a process that has asked for it. We may be killed before it has asked: so once it has, a shell
 * compares its parent with us, and starts the program only if we are still there.
 */
export function killedWithParent(
  program: string,
  args: readonly string[],
  ourPid: number | string = process.pid,
): readonly [string, readonly string[]] {
  const setpriv = findProgram("setpriv", searchPath());
  if (setpriv === undefined) return [program, args];
  const unlessOrphaned = ["sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', String(ourPid)];
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
