import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isObject, parseManifest } from "@tierwall/core";

export const configName = "tierwall.yaml";

/**
 * The tierwall.yaml nearest to a folder: in it, or above it as far as the root of its repository or the user's home.
 * Outside of both only the folder itself counts: what lies in / or /tmp may be anybody's.
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

/** A manifest may have the same name, as that of Tierwall itself: it has a kind, and defaults have none. */
export function isConfig(path: string): boolean {
  try {
    return isConfigText(readFileSync(path, "utf8"));
  } catch {
    // A folder of that name, or one that may not be read: reading it will say so where it is asked for.
    return false;
  }
}

export function isConfigText(text: string): boolean {
  const { documents } = parseManifest(text, configName);
  return !documents.some(({ value }) => isObject(value) && ("kind" in value || "apiVersion" in value));
}

/** As a user would name it from where they stand. */
export function shownFrom(folder: string, path: string): string {
  return relative(folder, path) || ".";
}
