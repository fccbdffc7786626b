import type { Diagnostic } from "@tierwall/core";
import type { Situation } from "@tierwall/kube";

/** Long enough to merge a burst of changes, in milliseconds. */
const delay = 2_000;

type LogMethod = (fields: object, message: string) => void;

/** Logs the diagnostics of the objects of a cluster, each once for as long as it persists (S10.2). */
export class DiagnosticsLog {
  #logged: ReadonlySet<string> = new Set();
  #latest: Situation | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Readonly<Record<"warn" | "error", LogMethod>>) {}

  /** Finding the diagnostics takes a while, so it happens shortly after a turn and not in it. */
  take(situation: Situation): void {
    this.#latest = situation;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#latest !== undefined) this.write(this.#latest.diagnostics);
    }, delay).unref();
  }

  write(diagnostics: readonly Diagnostic[]): void {
    const logged = new Set<string>();
    for (const found of diagnostics) {
      if (found.severity === "note") continue;
      const place = found.place === undefined ? undefined : `${found.place.file}:${found.place.line}`;
      const key = `${found.code} ${place ?? ""} ${found.message}`;
      logged.add(key);
      if (this.#logged.has(key)) continue;
      const { code, object } = found;
      const fields = {
        code,
        ...(object === undefined ? {} : { object }),
        ...(place === undefined ? {} : { place }),
      };
      this.log[found.severity === "error" ? "error" : "warn"](fields, found.message);
    }
    this.#logged = logged;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
