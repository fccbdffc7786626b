import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Diagnostic, hasErrors } from "@tierwall/core";
import { diagnostic, type ManifestObject, readObjects } from "@tierwall/core/manifest";
import { duplicate, keyOf, type LiveOptions, LiveState, type Moment } from "@tierwall/core/state";
import { filesAt, shown, sourceAt, unreadable } from "@tierwall/kube";

/** A file as it was read last. */
interface ReadFile {
  /** Tells whether it is another file now; absent where it changed so lately that its clock may not tell. */
  readonly version: string | undefined;
  readonly keys: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Clocks of file systems stand still for some milliseconds at a time. */
const unsureMilliseconds = 1000;

/** The objects of some files and folders. Looking again reads only files that changed. */
export class ManifestFolder {
  private readonly live: LiveState;
  private files = new Map<string, ReadFile>();
  /** Which file each object is of. */
  private readonly owners = new Map<string, string>();
  /** Which of two is the one shows only when both are read again. */
  private readsAll = false;

  constructor(
    private readonly paths: readonly string[],
    private readonly recursive: boolean,
    options: LiveOptions,
  ) {
    this.live = new LiveState(options);
  }

  /** What the files say now; with errors among the diagnostics, the moment is not to be used. */
  look(): { readonly moment: Moment; readonly diagnostics: readonly Diagnostic[] } {
    const found = this.paths.map((path) => (path === "-" ? notStandardInput : filesAt(path, this.recursive)));
    const names = [...new Set(found.flatMap(({ files }) => files.map((file) => resolve(file))))];
    const diagnostics = found.flatMap((one) => one.diagnostics);
    // What could not be found is as it was: a path that cannot be read is an error, and no reason to forget.
    const isComplete = diagnostics.length === 0;
    const next = new Map(isComplete ? [] : this.files);
    const changed: { readonly name: string; readonly objects: readonly ManifestObject[] }[] = [];
    for (const name of names) {
      const known = this.files.get(name);
      const version = versionOf(name);
      if (known?.version !== undefined && known.version === version && !this.readsAll) {
        next.set(name, known);
        continue;
      }
      const read = readFile(name, (known?.keys.length ?? 0) > 0);
      // A file that is half written, or wrong, leaves its objects as they were.
      const isRead = !hasErrors(read.diagnostics);
      const keys = isRead ? read.objects.map(keyOf) : (known?.keys ?? []);
      next.set(name, { version, keys, diagnostics: read.diagnostics });
      if (isRead) changed.push({ name, objects: read.objects });
    }
    const duplicates = this.replace(next, changed);
    this.files = next;
    const didReadAll = this.readsAll;
    this.readsAll = duplicates.length > 0;
    if (this.readsAll && !didReadAll) return this.look();
    const moment = this.live.moment();
    const inFiles = [...next.values()].flatMap((file) => file.diagnostics);
    return { moment, diagnostics: [...diagnostics, ...inFiles, ...duplicates, ...moment.diagnostics] };
  }

  /** Hands over what changed. Gives back what is there twice. */
  private replace(
    next: ReadonlyMap<string, ReadFile>,
    changed: readonly { readonly name: string; readonly objects: readonly ManifestObject[] }[],
  ): readonly Diagnostic[] {
    const rewritten = new Set(changed.map(({ name }) => name));
    const released = new Set<string>();
    for (const [name, { keys }] of this.files) {
      if (next.has(name) && !rewritten.has(name)) continue;
      for (const key of keys) if (this.owners.get(key) === name) released.add(key);
    }
    for (const key of released) this.owners.delete(key);
    const firsts = new Map<string, ManifestObject>();
    const duplicates: Diagnostic[] = [];
    for (const { name, objects } of changed)
      for (const object of objects) {
        const key = keyOf(object);
        const owner = this.owners.get(key);
        if (owner === undefined) {
          this.owners.set(key, name);
          firsts.set(key, object);
          released.delete(key);
          this.live.set(object);
        } else duplicates.push(duplicate(object, placeOf(firsts.get(key), owner), key));
      }
    for (const key of released) this.live.remove(key);
    return duplicates;
  }
}

const notStandardInput = {
  files: [],
  diagnostics: [diagnostic("TW1004", "standard input cannot be watched; name files or folders")],
};

function readFile(
  name: string,
  hadObjects: boolean,
): {
  readonly objects: readonly ManifestObject[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const objects: ManifestObject[] = [];
  const diagnostics: Diagnostic[] = [];
  try {
    readObjects(sourceAt(name), {
      object: (object) => void objects.push(object),
      report: (found) => void diagnostics.push(found),
    });
    // Shells empty a file before they write to it, and a policy must not be gone for that moment.
    if (hadObjects && objects.length === 0 && diagnostics.length === 0)
      throw new Error("it is empty now; delete the file if its objects are to go");
  } catch (cause) {
    diagnostics.push(unreadable(shown(name), cause));
  }
  return { objects, diagnostics };
}

/** Of an object that is not at hand, as its file has errors now, no more than the file is known. */
function placeOf(object: ManifestObject | undefined, file: string): { file: string; line: number } {
  return object?.document.placeOf(object.path) ?? { file: shown(file), line: 1 };
}

function versionOf(name: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = statSync(name, { bigint: true });
    if (Number(mtimeMs) > Date.now() - unsureMilliseconds) return undefined;
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}
