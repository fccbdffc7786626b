import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Diagnostic } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import { readEdited, readState, type State, type StateOptions } from "@tierwall/core/state";
import { type ManifestFile, readPaths } from "@tierwall/kube";

/*
 * Objects that state what must hold, in files next to the policies: ConnectivityTests and Guarantees. Each names under `given` the
 * manifests that it is about.
 */

/** An object with `given`. */
export interface Assertion {
  readonly file: string;
  readonly given: readonly { readonly path: string }[];
}

export interface Found<T> {
  readonly objects: readonly T[];
  readonly sources: readonly ManifestFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** All objects of one kind in files and folders. None at all is an error. */
export function findObjects<T>(
  kind: string,
  paths: readonly string[],
  { recursive = false, maxInput }: { readonly recursive?: boolean; readonly maxInput?: number },
  read: (
    text: string,
    file: string,
  ) => { readonly objects: readonly T[]; readonly diagnostics: readonly Diagnostic[] },
): Found<T> {
  const { sources, diagnostics: unread } = readPaths(paths, recursive, { maxInput });
  const diagnostics: Diagnostic[] = [...unread];
  const objects = sources.flatMap((source) => {
    // Assertions are never so many that they are read in chunks: such a file is a snapshot.
    if (!("text" in source)) return [];
    const found = read(source.text, source.file);
    diagnostics.push(...found.diagnostics);
    return found.objects;
  });
  if (objects.length === 0 && diagnostics.length === 0) {
    const where = paths.map((path) => `\`${path}\``).join(", ");
    const deeper = recursive ? "" : "; -R searches subfolders as well";
    const hint = kind === "ConnectivityTest" ? { hint: "`tierwall init` writes a first one." } : {};
    diagnostics.push(diagnostic("TW1004", `no ${kind} in ${where}${deeper}`, hint));
  }
  return { objects, sources, diagnostics };
}

export interface GivenState {
  readonly state: State;
  readonly sources: readonly ManifestFile[];
  /** What could not be read. */
  readonly errors: readonly Diagnostic[];
}

/** Assertions that are given the same files share one state: reading takes longer than answering. */
export class GivenStates {
  private readonly states = new Map<string, GivenState>();

  constructor(
    private readonly added: readonly ManifestFile[],
    private readonly options: StateOptions,
    private readonly asksCluster: (assertion: Assertion) => boolean,
    private readonly cluster: readonly ManifestFile[],
  ) {}

  for(assertion: Assertion): GivenState {
    const isLive = this.asksCluster(assertion);
    const paths = isLive
      ? []
      : assertion.given.map(({ path }) => (isAbsolute(path) ? path : join(dirname(assertion.file), path)));
    const key = isLive ? "cluster" : paths.map((path) => resolve(path)).join("\0");
    const known = this.states.get(key);
    if (known !== undefined) return known;
    const made = isLive ? this.ofCluster() : this.ofFiles(paths);
    this.states.set(key, made);
    return made;
  }

  private ofFiles(paths: readonly string[]): GivenState {
    const read = readPaths(paths, true);
    const given = new Set(read.sources.map(({ file }) => file));
    const sources = [...read.sources, ...this.added.filter(({ file }) => !given.has(file))];
    return { state: readState(sources, this.options), sources, errors: read.diagnostics };
  }

  private ofCluster(): GivenState {
    const { added, cluster, options } = this;
    const { after } = readEdited(cluster, { apply: added, remove: [] }, options);
    return { state: after, sources: [...added, ...cluster], errors: [] };
  }
}

/** Errors, and that something of the input has no effect; other warnings are for `validate`, or for -v. */
export function affectsVerdicts({ severity, code }: Diagnostic): boolean {
  return severity === "error" || ["TW2015", "TW2016", "TW2022", "TW2025"].includes(code);
}
