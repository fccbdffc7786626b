import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { configName, isConfig } from "@tierwall/kube";

/**
 * The tierwall.yaml nearest to a folder: in it, or above it as far as the root of its repository or the user's home.
 * Outside of both only the folder itself counts: any user can write to folders such as /tmp.
 */
export function findConfig(folder: string, home: string): string | undefined {
  for (const candidate of foldersUpwards(folder, home)) {
    const path = join(candidate, configName);
    if (existsSync(path) && isConfig(path)) return shownFrom(folder, path);
  }
  return undefined;
}

function foldersUpwards(folder: string, home: string): readonly string[] {
  const passed: string[] = [];
  for (let here = folder; ; here = dirname(here)) {
    passed.push(here);
    if (here === home || existsSync(join(here, ".git"))) return passed;
    if (here === dirname(here)) return [folder];
  }
}

/** As a user would name it from where they stand. */
export function shownFrom(folder: string, path: string): string {
  return relative(folder, path) || ".";
}
