import type { Nft } from "./nft.js";
import { done, failed, type Outcome } from "./outcome.js";

export interface Count {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * What the counters of our tables have counted since this process began, together with what the kernel still held then.
 * Each reading takes the numbers out of the kernel: nft reads hundreds in milliseconds that way, where listing them takes
 * it through all rules; and counters come and go with tables and rules, while sums stay.
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
    const counters = readCounters(answer.value);
    if (!counters)
      return failed(`nft gave out counters in a form that is not known: ${answer.value.slice(0, 80)}`);
    for (const { name, packets, bytes } of counters) {
      const sum = this.#sums.get(name) ?? { packets: 0, bytes: 0 };
      this.#sums.set(name, { packets: sum.packets + packets, bytes: sum.bytes + bytes });
    }
    return done(undefined);
  }

  /** Whoever else changes rules of the node while nft reads, as kube-proxy does, interrupts it: then it is asked again. */
  async #reset(table: string): Promise<Outcome<string>> {
    for (let tries = 1; ; tries++) {
      const answer = await this.nft.ask("-j", "reset", "counters", "table", "inet", table);
      if (answer.ok || tries === mostTries || !/Interrupted system call/.test(answer.message)) return answer;
    }
  }
}

const mostTries = 5;

interface NamedCount extends Count {
  readonly name: string;
}

/** `{"nftables": [{"metainfo": …}, {"counter": {"name": …, "packets": …, "bytes": …}}]}`. */
function readCounters(json: string): readonly NamedCount[] | undefined {
  const answer: unknown = JSON.parse(json);
  if (typeof answer !== "object" || answer === null || !("nftables" in answer)) return undefined;
  if (!Array.isArray(answer.nftables)) return undefined;
  return answer.nftables.flatMap((entry: unknown) =>
    typeof entry === "object" && entry !== null && "counter" in entry && isCount(entry.counter)
      ? [entry.counter]
      : [],
  );
}

function isCount(value: unknown): value is NamedCount {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "packets" in value &&
    typeof value.packets === "number" &&
    "bytes" in value &&
    typeof value.bytes === "number"
  );
}
