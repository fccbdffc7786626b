import type { Outcome } from "../kernel/outcome.js";
import type { AuditEnd } from "./audit-line.js";
import type { ConnectionEnd, TrackedConnection } from "../kernel/conntrack.js";
import type { AddressOwners } from "./address-owners.js";

/** A connection that was established, and that the rules no longer allow. */
export interface CutConnection {
  /** When the agent noticed it. */
  readonly at: string;
  readonly protocol: string;
  readonly source: AuditEnd;
  readonly destination: AuditEnd;
}

export interface CutReportOptions {
  /** All connections that are cut now, by any rules. */
  readonly list: () => Promise<Outcome<readonly TrackedConnection[]>>;
  /** These were cut since the last call, and `more` others. */
  readonly onCut: (connections: readonly CutConnection[], more: number) => void;
  readonly onTrouble: (message: string) => void;
  readonly ends: AddressOwners;
}

/** One edit can cut thousands. */
const mostNamed = 100;
/** How many are kept for the status. */
const mostKept = 10;

/**
 * Reports which connections were cut. Each of them has a mark for as long as the kernel tracks it, so they can be listed later,
 * and no process has to run at the moment of the cut.
 */
export class CutReport {
  #known: ReadonlySet<string> = new Set();
  #last: readonly CutConnection[] = [];

  constructor(private readonly options: CutReportOptions) {}

  /** Connections that an earlier agent cut are not reported again. */
  async start(): Promise<void> {
    await this.#fresh();
  }

  /** To be called when some were cut since the last call. */
  async look(at: Date): Promise<void> {
    const fresh = await this.#fresh();
    if (fresh.length === 0) return;
    const named = fresh.slice(0, mostNamed).map(
      ({ protocol, source, destination }): CutConnection => ({
        at: at.toISOString(),
        protocol,
        source: this.#named(source),
        destination: this.#named(destination),
      }),
    );
    this.options.onCut(named, fresh.length - named.length);
    this.#last = [...named, ...this.#last].slice(0, mostKept);
  }

  /** The last ones, the latest first. */
  get last(): readonly CutConnection[] {
    return this.#last;
  }

  async #fresh(): Promise<readonly TrackedConnection[]> {
    const listed = await this.options.list();
    if (!listed.ok) {
      this.options.onTrouble(
        `cannot list the connections that were cut: conntrack reported \`${listed.message}\``,
      );
      return [];
    }
    const known = this.#known;
    this.#known = new Set(listed.value.map(({ id }) => id));
    return listed.value.filter(({ id }) => !known.has(id));
  }

  #named(end: ConnectionEnd): AuditEnd {
    return { ...end, ...this.options.ends.at(end.address) };
  }
}
