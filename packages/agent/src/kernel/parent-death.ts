import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

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
