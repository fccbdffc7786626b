import { isReadable, type KindHealth } from "../cluster/reflector.js";
import type { ServiceMetrics } from "./service-metrics.js";

/** As far as health is logged and counted. */
interface HealthLogParts {
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  readonly metrics: Pick<ServiceMetrics, "sourceSynced" | "watchRestarts">;
  /** What stays the same while a kind cannot be read: `the kernel keeps the rules it has`. */
  readonly meanwhile: string;
}

/** Says of each kind when it cannot be read, since when, and what follows; and when it can be read again. */
export class HealthLog {
  readonly #failingSince = new Map<string, number>();

  constructor(private readonly parts: HealthLogParts) {}

  take(kind: string, health: KindHealth): void {
    const { log, metrics, meanwhile } = this.parts;
    const { state, message = "no answer yet", since } = health;
    metrics.sourceSynced.set({ kind }, isReadable(health) ? 1 : 0);
    const said = { kind, state };
    const failed = this.#failingSince.get(kind);
    if (since === undefined) this.#failingSince.delete(kind);
    else this.#failingSince.set(kind, since);
    if (isReadable(health)) {
      const seconds =
        failed === undefined ? {} : { failedForSeconds: Math.round((Date.now() - failed) / 1000) };
      log.info({ ...said, ...seconds }, failed === undefined ? "watching" : "watching again");
    } else if (since !== undefined)
      log.warn(
        { ...said, since: new Date(since).toISOString() },
        `${kind} cannot be read now: ${message}; ${meanwhile}, and reading is tried again`,
      );
    else log.warn(said, message);
  }

  /** A watch or a list was begun again. */
  restarted(kind: string): void {
    this.parts.metrics.watchRestarts.inc({ kind });
  }
}
