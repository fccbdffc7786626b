import { isObject } from "@tierwall/core/manifest";
import type { Nft } from "./nft.js";
import { done, type Outcome } from "./outcome.js";

export interface Count {
  readonly packets: number;
  readonly bytes: number;
}

export const sumOf = (a: Count, b: Count = { packets: 0, bytes: 0 }): Count => ({
  packets: a.packets + b.packets,
  bytes: a.bytes + b.bytes,
});

/**
 * Reads the counters of Tierwall's tables. Each reading resets them in the kernel. That way nft reads hundreds in milliseconds;
 * listing them would make it read all rules. Counters come and go with tables and rules; what they counted is kept until it is taken.
 */
export class CounterReader {
  #counted = new Map<string, Count>();

  constructor(readonly nft: Nft) {}

  /** What was counted since the last call. */
  take(): ReadonlyMap<string, Count> {
    const counted = this.#counted;
    this.#counted = new Map();
    return counted;
  }

  async collect(table: string): Promise<Outcome<void>> {
    const answer = await this.#reset(table);
    if (!answer.ok) return answer;
    for (const object of answer.value)
      if ("counter" in object && isCount(object.counter)) {
        const { name } = object.counter;
        this.#counted.set(name, sumOf(object.counter, this.#counted.get(name)));
      }
    return done(undefined);
  }

  /**
   * If another process changes rules of the node meanwhile, as kube-proxy does, nft is interrupted and called again. What it had
   * read until then is lost.
   */
  async #reset(table: string): Promise<Outcome<readonly object[]>> {
    for (let tries = 1; ; tries++) {
      const answer = await this.nft.objects("reset", "counters", "table", "inet", table);
      if (answer.ok || tries === mostTries || !/Interrupted system call/.test(answer.message)) return answer;
    }
  }
}

const mostTries = 5;

/** The value in `{"counter": {"name": …, "packets": …, "bytes": …}}`. */
function isCount(value: unknown): value is Count & { readonly name: string } {
  if (!isObject(value)) return false;
  const { name, packets, bytes } = value;
  return typeof name === "string" && typeof packets === "number" && typeof bytes === "number";
}
