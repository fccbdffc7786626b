import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { isLookedInto } from "./manifest-files.js";

/**
 * Tells when something happens in the folders of some paths. Folders are watched rather than files: editors and ConfigMaps
 * put another file in the place of the old one. Where watching fails, whoever looks now and then will notice.
 */
export class WatchedFolders {
  private readonly watchers = new Map<string, Watched>();

  constructor(private readonly onChange: () => void) {}

  /** Watches the folders there are now, and no others. */
  update(paths: readonly string[], recursive: boolean): void {
    const folders = new Set(paths.flatMap((path) => foldersOf(path, recursive)));
    for (const [folder, { inode }] of this.watchers)
      if (!folders.has(folder) || inodeOf(folder) !== inode) this.forget(folder);
    for (const folder of folders) if (!this.watchers.has(folder)) this.add(folder);
  }

  close(): void {
    for (const folder of this.watchers.keys()) this.forget(folder);
  }

  private add(folder: string): void {
    const inode = inodeOf(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, () => this.onChange());
      watcher.on("error", () => this.forget(folder));
      this.watchers.set(folder, { watcher, inode });
    } catch {
      // More than the system lets one watch.
    }
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.watcher.close();
    this.watchers.delete(folder);
  }
}

interface Watched {
  readonly watcher: FSWatcher;
  /** Another folder may take the place of the one that is watched. */
  readonly inode: number;
}

/** Of a file, the one it lies in; of a folder, itself and the one it lies in, and those below where they are read too. */
function foldersOf(path: string, recursive: boolean): readonly string[] {
  return isFolder(path) ? [dirname(path), path, ...(recursive ? foldersBelow(path) : [])] : [dirname(path)];
}

function foldersBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isLookedInto(entry.name))
      .map((entry) => join(folder, entry.name))
      .flatMap((below) => [below, ...foldersBelow(below)]);
  } catch {
    return [];
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
