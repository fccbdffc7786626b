import type { ClusterOptions, Diagnostic, TextSource } from "@tierwall/core";
import { implementationCaveatsOfAll } from "@tierwall/core/analysis";
import { compile, type Engine } from "@tierwall/core/engine";
import { caveatsOfAll, readOptions, readState, type State } from "@tierwall/core/state";

/** What the page shows: from the server, or from files that were dropped on the page. */
export interface GivenState {
  readonly title: string;
  /** Changes when the state does. */
  readonly revision: string;
  readonly sources: readonly TextSource[];
  readonly provenance: "file" | "cluster";
  /** What no manifest contains. */
  readonly options?: ClusterOptions;
  /** Why some of the files that the server was given could not be read. */
  readonly unread?: readonly Diagnostic[];
  /** Distinguishes the contents of dropped files; the server's files have a revision. */
  readonly dropped?: string;
}

/** The state in the worker, which all questions are about. Never changed: another state is another object. */
export class HeldState {
  readonly state: State;
  private compiled: Engine | undefined;
  private found: readonly string[] | undefined;

  /** `progress` is called now and then with the number of objects that have been read. */
  constructor(
    readonly given: GivenState,
    progress: (objects: number) => void = () => undefined,
  ) {
    const { sources, provenance, options = {} } = given;
    this.state = readState(sources, {
      ...(provenance === "cluster" ? { provenance } : {}),
      ...readOptions(options),
      progress,
    });
  }

  /**
   * Why no question is answered: a policy that cannot be read may decide any of them, as may a file that cannot. With --keep-going,
   * what has errors is left out instead.
   */
  get errors(): readonly Diagnostic[] {
    const errors = this.state.diagnostics.filter(({ severity }) => severity === "error");
    return [...(this.given.unread ?? []), ...errors];
  }

  get usable(): boolean {
    return this.state.usable && (this.given.unread ?? []).length === 0;
  }

  /** Compiled for the first question about all pairs. */
  get engine(): Engine {
    this.compiled ??= compile(this.state.cluster, this.state.tiers);
    return this.compiled;
  }

  /** S9.5, S9.8: the caveats of answers about many connections. */
  get caveats(): readonly string[] {
    this.found ??= [...caveatsOfAll(this.state), ...implementationCaveatsOfAll(this.state)].map(
      ({ text }) => text,
    );
    return this.found;
  }

  /** The text of a file; undefined for one that is not among the sources. */
  textOf(file: string): string | undefined {
    return this.given.sources.find((source) => source.file === file)?.text;
  }
}
