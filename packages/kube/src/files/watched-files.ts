import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostic } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import { Delivery, type DeliveryTimes } from "../timing/delivery.js";
import { filesAt, isLookedInto } from "./manifest-files.js";

export interface WatchedPaths {
  /** Files and folders, as `-f` names them. */
  readonly paths: readonly string[];
  /** Also files in folders of folders. */
  readonly recursive?: boolean;
  /** How often files are checked without a notification. */
  readonly rescanMilliseconds?: number;
  readonly delivery?: DeliveryTimes;
}

export interface FoundFiles {
  readonly files: readonly string[];
  /** Paths that cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Editors write a file in several steps, and several files one after the other. */
const fileDelivery: DeliveryTimes = { quiet: 50, longest: 250 };

/**
 * Reports when files may have changed. Folders are watched rather than files: editors and ConfigMaps put another file in the
 * place of the old one. Where watching fails, looking now and then will notice.
 */
export class WatchedFiles {
  private readonly watchers = new Map<string, Watched>();
  private readonly delivery: Delivery;
  private rescan: NodeJS.Timeout | undefined;
  private seen: string | undefined;

  /** `onChange`: files may have changed. */
  constructor(
    private readonly options: WatchedPaths,
    onChange: (since: number) => Promise<void> | void,
  ) {
    this.delivery = new Delivery(onChange, options.delivery ?? fileDelivery);
  }

  start(): void {
    this.rescan = setInterval(() => this.delivery.request(), this.options.rescanMilliseconds ?? 5000);
  }

  recheck(): void {
    this.delivery.request();
  }

  async stop(): Promise<void> {
    clearInterval(this.rescan);
    for (const folder of this.watchers.keys()) this.forget(folder);
    await this.delivery.stop();
  }

  /** The files there are now; undefined where all are as they were when it was asked last. */
  changed(): FoundFiles | undefined {
    // First watched, then read: what changes in between is seen either way.
    this.watchFolders();
    const found = filesIn(this.options);
    const seen = found.files.map(versionOf).join("\n");
    if (found.diagnostics.length === 0 && seen === this.seen) return undefined;
    this.seen = seen;
    return found;
  }

  /** They could not be read: the next question finds all of them changed. */
  readAgain(): void {
    this.seen = undefined;
  }

  /** Watches the folders there are now, and no others. */
  private watchFolders(): void {
    const { paths, recursive = false } = this.options;
    const folders = new Set(paths.flatMap((path) => foldersOf(path, recursive)));
    for (const [folder, { inode }] of this.watchers)
      if (!folders.has(folder) || inodeOf(folder) !== inode) this.forget(folder);
    for (const folder of folders) if (!this.watchers.has(folder)) this.add(folder);
  }

  private add(folder: string): void {
    const inode = inodeOf(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, () => this.delivery.request());
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

/** The manifests at all paths, each once. */
export function filesIn({ paths, recursive = false }: WatchedPaths): FoundFiles {
  const found = paths.map((path) => (path === "-" ? notStandardInput : filesAt(path, recursive)));
  return {
    files: [...new Set(found.flatMap(({ files }) => files.map((file) => resolve(file))))],
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
  };
}

const notStandardInput: FoundFiles = {
  files: [],
  diagnostics: [diagnostic("TW1004", "standard input cannot be watched; name files or folders")],
};

/** Clocks of file systems stand still for some milliseconds at a time: a young file may have changed unseen. */
const youngMilliseconds = 1000;

function versionOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = statSync(file, { bigint: true });
    const now = Date.now();
    const isYoung = Number(mtimeMs) > now - youngMilliseconds;
    return [file, dev, ino, size, mtimeNs, ctimeNs, isYoung ? now : ""].join();
  } catch {
    return `${file} cannot be looked at`;
  }
}

interface Watched {
  readonly watcher: FSWatcher;
  /** Another folder may take the place of the one that is watched. */
  readonly inode: number;
}

/** Of a file, its folder; of a folder, itself, the one that contains it, and those below if they are read too. */
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
