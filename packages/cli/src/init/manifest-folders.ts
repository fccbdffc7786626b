import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesAt, isLookedInto, sourceAt } from "@tierwall/kube";

/** What every manifest has, as YAML or JSON. */
const kind = /\bkind["']?\s*:/;

/**
 * The folders in this one that hold manifests, or `.` where it holds some itself. Other YAML files, such as settings of
 * tools, need not be read.
 */
export function manifestFolders(folder: string): readonly string[] {
  if (hasManifests(folder, false)) return ["."];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isLookedInto(entry.name))
    .map(({ name }) => name)
    .filter((name) => hasManifests(join(folder, name), true))
    .toSorted();
}

function hasManifests(folder: string, recursive: boolean): boolean {
  return filesAt(folder, recursive).files.some((file) => {
    try {
      const source = sourceAt(file);
      return !("text" in source) || kind.test(source.text);
    } catch {
      // What cannot be read is an error when it is read for the test.
      return true;
    }
  });
}

/** The root of the repository that a folder is in, or the folder itself. */
export function repositoryOf(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, ".git"))) return here;
    if (here === dirname(here)) return folder;
  }
}
