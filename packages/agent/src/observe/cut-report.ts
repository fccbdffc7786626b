import type { Outcome } from "../kernel/outcome.js";
import type { AuditEnd } from "./audit-line.js";
import type { ConnectionEnd, TrackedConnection } from "../kernel/tracked-connections.js";
import type { AddressOwners } from "./address-owners.js";

/** A connection that was established, and that the rules no longer allow. */
export interface CutConnection {
  /** When it was found to be. */
  readonly at: string;
  readonly protocol: string;
  readonly source: AuditEnd;
  readonly destination: AuditEnd;
}

export interface CutReportOptions {
  /** All connections that are cut now, by whichever rules. */
  readonly list: () => Promise<Outcome<readonly TrackedConnection[]>>;
  /** These are news, and so are `more` that are not named. */
  readonly onCut: (connections: readonly CutConnection[], more: number) => void;
  readonly onTrouble: (message: string) => void;
  readonly ends: AddressOwners;
}

/** An edit may cut thousands, and everybody knows why by then. */
const mostNamed = 100;
/** Of them, so many are remembered for who asks later. */
const mostKept = 10;

/**
 * Tells which connections were cut. Each of them bears the mark of it for as long as the kernel tracks it, so that none has to be
 * caught in the moment it is cut, and nothing but the kernel has to be there for it.
 */
export class CutReport {
  #known: ReadonlySet<string> = new Set();
  #last: readonly CutConnection[] = [];

  constructor(private readonly options: CutReportOptions) {}

  /** Those that an agent before this one cut are no news. */
  async start(): Promise<void> {
    await this.#fresh();
  }

  /** Some were cut since it was called last. */
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
        `which connections were cut cannot be told: conntrack says \`${listed.message}\``,
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
