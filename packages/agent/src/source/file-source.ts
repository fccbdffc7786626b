import { type Diagnostic, hasErrors } from "@tierwall/core";
import { type ManifestObject, readObjects } from "@tierwall/core/manifest";
import { duplicate, keyOf, type LiveOptions, LiveState, type Moment } from "@tierwall/core/state";
import {
  type FoundFiles,
  isSameMoment,
  shown,
  type Situation,
  situationOf,
  type SituationSource,
  sourceAt,
  unreadable,
  WatchedFiles,
  type WatchedPaths,
} from "@tierwall/kube";

export interface FileSourceOptions extends LiveOptions, WatchedPaths {
  /** Called when there are errors, and with an empty list when they are fixed. Until then the state does not change. */
  readonly onErrors?: (errors: readonly Diagnostic[]) => void;
}

/** The state of a cluster from files, which are read again when they change. */
export class FileSource implements SituationSource {
  private readonly live: LiveState;
  private readonly files: WatchedFiles;
  /** The keys of the objects in each file. */
  private keys: ReadonlyMap<string, readonly string[]> = new Map();
  private onSituation: ((situation: Situation) => Promise<void> | void) | undefined;
  private given: Moment | undefined;
  private reported = "";
  private firstGiven: () => void = () => undefined;

  constructor(private readonly options: FileSourceOptions) {
    this.live = new LiveState(options);
    this.files = new WatchedFiles(options, (since) => this.deliver(since));
  }

  async start(onSituation: (situation: Situation) => Promise<void> | void): Promise<void> {
    this.onSituation = onSituation;
    const first = new Promise<void>((resolve) => (this.firstGiven = resolve));
    this.files.start();
    this.files.recheck();
    await first;
  }

  async stop(): Promise<void> {
    await this.files.stop();
    this.firstGiven();
  }

  private async deliver(since: number): Promise<void> {
    const found = this.files.changed();
    if (found === undefined) return;
    const wrong = this.read(found);
    const moment = this.live.moment();
    const diagnostics = [...wrong, ...moment.diagnostics];
    this.reportErrors(diagnostics.filter(({ severity }) => severity === "error"));
    if (hasErrors(diagnostics) || (this.given !== undefined && isSameMoment(moment, this.given))) return;
    this.given = moment;
    await this.onSituation?.(situationOf(moment, since));
    this.firstGiven();
  }

  /** Reads all files and returns their diagnostics. What did not change stays the same object. */
  private read({ files, diagnostics: unfound }: FoundFiles): readonly Diagnostic[] {
    const diagnostics = [...unfound];
    // A path that cannot be read is an error, and its objects stay as they were.
    const keys = new Map(unfound.length === 0 ? [] : this.keys);
    const firsts = new Map<string, ManifestObject>();
    for (const file of files) {
      const known = this.keys.get(file) ?? [];
      const read = readFile(file, known.length > 0);
      diagnostics.push(...read.diagnostics);
      // The objects of a file that is incomplete or invalid stay as they were.
      keys.set(file, hasErrors(read.diagnostics) ? known : read.objects.map(keyOf));
      for (const object of hasErrors(read.diagnostics) ? [] : read.objects) {
        const key = keyOf(object);
        const first = firsts.get(key);
        if (first !== undefined) diagnostics.push(duplicate(object, first.document.placeOf(first.path), key));
        else {
          firsts.set(key, object);
          this.live.set(object);
        }
      }
    }
    const left = new Set([...keys.values()].flat());
    for (const key of new Set([...this.keys.values()].flat())) if (!left.has(key)) this.live.remove(key);
    this.keys = keys;
    return diagnostics;
  }

  /** Once for the same errors. */
  private reportErrors(errors: readonly Diagnostic[]): void {
    const text = errors.map(({ code, message, place }) => JSON.stringify([code, message, place])).join();
    if (text === this.reported) return;
    this.reported = text;
    this.options.onErrors?.(errors);
  }
}

function readFile(
  name: string,
  hadObjects: boolean,
): { readonly objects: readonly ManifestObject[]; readonly diagnostics: readonly Diagnostic[] } {
  const objects: ManifestObject[] = [];
  const diagnostics: Diagnostic[] = [];
  try {
    readObjects(sourceAt(name), {
      object: (object) => void objects.push(object),
      report: (found) => void diagnostics.push(found),
    });
    // Shells truncate a file before they write to it, and its policies must not disappear for that moment.
    if (hadObjects && objects.length === 0 && diagnostics.length === 0)
      throw new Error("the file is empty now; delete it to remove its objects");
  } catch (cause) {
    diagnostics.push(unreadable(shown(name), cause));
  }
  return { objects, diagnostics };
}
