import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** How to start a program that ends when we do, also where we are killed. Left behind, it would keep what the next agent needs. */
export function dyingWithUs(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  const setpriv = findProgram("setpriv", searchPath());
  return setpriv === undefined ? [program, args] : [setpriv, ["--pdeathsig", "KILL", program, ...args]];
}

export function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export const searchPath = (): readonly string[] => [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  "/usr/bin",
];
