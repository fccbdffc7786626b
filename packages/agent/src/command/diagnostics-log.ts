import type { Diagnostic } from "@tierwall/core";
import type { Situation } from "@tierwall/kube";

/** Long enough that a storm of changes is looked at once. */
const patience = 2_000;

type Say = (fields: object, message: string) => void;

/** Says what is wrong with the objects of a cluster, each thing once for as long as it stays wrong (S10.2). */
export class DiagnosticsLog {
  #said: ReadonlySet<string> = new Set();
  #latest: Situation | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Readonly<Record<"warn" | "error", Say>>) {}

  /** What is wrong is found when it is asked for, which takes a while: not in a turn, then, but soon after. */
  take(situation: Situation): void {
    this.#latest = situation;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#latest !== undefined) this.say(this.#latest.diagnostics);
    }, patience).unref();
  }

  say(diagnostics: readonly Diagnostic[]): void {
    const said = new Set<string>();
    for (const found of diagnostics) {
      if (found.severity === "note") continue;
      const place = found.place === undefined ? undefined : `${found.place.file}:${found.place.line}`;
      const key = `${found.code} ${place ?? ""} ${found.message}`;
      said.add(key);
      if (this.#said.has(key)) continue;
      const { code, object } = found;
      const fields = {
        code,
        ...(object === undefined ? {} : { object }),
        ...(place === undefined ? {} : { place }),
      };
      this.log[found.severity === "error" ? "error" : "warn"](fields, found.message);
    }
    this.#said = said;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
