import { isObject } from "@tierwall/core/manifest";
import type { Nft } from "./nft.js";
import { done, type Outcome } from "./outcome.js";

export interface Count {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * Sums of the counters of Tierwall's tables since this process started, including what the kernel contained then. Each reading
 * resets the counters in the kernel. That way nft reads hundreds in milliseconds; listing them would make it read all rules.
 * Counters come and go with tables and rules; sums stay.
 */
export class CounterSums {
  readonly #sums = new Map<string, Count>();

  constructor(readonly nft: Nft) {}

  get sums(): ReadonlyMap<string, Count> {
    return this.#sums;
  }

  async collect(table: string): Promise<Outcome<void>> {
    const answer = await this.#reset(table);
    if (!answer.ok) return answer;
    for (const object of answer.value) {
      if (!("counter" in object) || !isCount(object.counter)) continue;
      const { name, packets, bytes } = object.counter;
      const sum = this.#sums.get(name) ?? { packets: 0, bytes: 0 };
      this.#sums.set(name, { packets: sum.packets + packets, bytes: sum.bytes + bytes });
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
