// INTERIM, not committed: until the real one is merged.
import { readFileSync, readdirSync } from "node:fs";
import { readState } from "@tierwall/core";
import type { Situation, SituationSource } from "@tierwall/kube";
import type { SourceOptions } from "../agent-options.js";
export class FileSource implements SituationSource {
  #timer: NodeJS.Timeout | undefined;
  #last = "";
  #busy = false;
  constructor(readonly options: Extract<SourceOptions, { kind: "files" }>) {}
  async start(on: (s: Situation) => Promise<void> | void): Promise<void> {
    const look = async () => {
      if (this.#busy) return;
      this.#busy = true;
      try {
        const since = performance.now();
        const sources = this.options.paths.flatMap((p) =>
          readdirSync(p).map((f) => ({ file: f, text: readFileSync(`${p}/${f}`, "utf8") })),
        );
        const key = JSON.stringify(sources);
        if (key !== this.#last) {
          this.#last = key;
          const state = readState(sources, {});
          if (state.usable) await on({ ...state, podRanges: new Map(), since });
          else console.error(JSON.stringify({ msg: `policy.yaml ${state.diagnostics[0]?.message}` }));
        }
      } finally {
        this.#busy = false;
      }
    };
    await look();
    this.#timer = setInterval(() => void look(), 100);
  }
  stop(): Promise<void> {
    clearInterval(this.#timer);
    return Promise.resolve();
  }
}
