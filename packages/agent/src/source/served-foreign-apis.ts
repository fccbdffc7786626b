import type { ForeignKind } from "@tierwall/core/manifest";
import { type Connection, type ForeignApiTimes, ForeignApiWatch, namesOfForeign } from "@tierwall/kube";
import type { Logger } from "pino";
import type { AgentMetrics } from "../observe/metrics.js";
import type { SourceStatus } from "../observe/status.js";

type Log = Pick<Logger, "info" | "warn">;

/**
 * Reports the policy APIs of other projects that the cluster serves. An agent enforces only the APIs that Tierwall evaluates. It
 * does not read the objects of the others, which would be a load with a thousand agents.
 */
export class ServedForeignApis {
  /** The caller starts and stops it. */
  readonly watch: ForeignApiWatch;
  private served: readonly ForeignKind[] = [];
  private trouble: string | undefined;

  constructor(
    connection: Connection,
    private readonly log: Log,
    private readonly metrics: Pick<AgentMetrics, "foreignApis">,
    times?: ForeignApiTimes,
  ) {
    const listener = {
      onServed: (kinds: readonly ForeignKind[]) => this.take(kinds),
      onTrouble: (message: string) => {
        this.trouble = message;
        log.warn(`cannot find out which policy APIs of other projects the cluster serves: ${message}`);
      },
    };
    this.watch = new ForeignApiWatch(connection, listener, times);
  }

  /** Empty if there is nothing to report. */
  status(): readonly SourceStatus[] {
    const what = "policy APIs of other projects";
    if (this.trouble !== undefined) return [{ what, ok: false, state: `not known: ${this.trouble}` }];
    if (this.served.length === 0) return [];
    return [{ what, ok: true, state: `${namesOfForeign(this.served)}; their policies apply in addition` }];
  }

  private take(kinds: readonly ForeignKind[]): void {
    const { log, metrics } = this;
    const before = namesOfForeign(this.served);
    this.served = kinds;
    this.trouble = undefined;
    metrics.foreignApis.reset();
    for (const { group, kind } of kinds) metrics.foreignApis.set({ group, kind }, 1);
    const now = namesOfForeign(kinds);
    if (now === before) return;
    if (now !== "")
      log.info(
        { foreign: now },
        "the cluster serves policy APIs of other projects; their policies apply in addition, and this agent does not enforce them",
      );
    else log.info("the cluster no longer serves policy APIs of other projects");
  }
}
