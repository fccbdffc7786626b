import { RateLimit } from "../timing/pause.js";

const mostAddresses = 256;
/** Milliseconds for which an address counts as one of a client that may read. */
const trustTime = 3_600_000;

/**
 * Limits how often the API server is asked about unknown tokens. Each address has a budget, and all addresses share one: no client
 * can lock out another with made-up tokens. Addresses of clients that were admitted before share a separate budget, so that
 * Prometheus is admitted with a new token while many other clients try theirs.
 */
export class ReviewBudget {
  private readonly strangers: RateLimit;
  private readonly trusted: RateLimit;
  /** By address; the one that was used last is the last. */
  private readonly own = new Map<string, RateLimit>();
  /** Until when addresses are trusted. */
  private readonly trustedUntil = new Map<string, number>();

  constructor(private readonly now: () => number) {
    this.strangers = new RateLimit(5, 20, now);
    this.trusted = new RateLimit(5, 20, now);
  }

  /** Whether a review may be asked for now. */
  take(address: string): boolean {
    const isTrusted = (this.trustedUntil.get(address) ?? Number.NEGATIVE_INFINITY) > this.now();
    return takeAll([this.limitOf(address), isTrusted ? this.trusted : this.strangers]);
  }

  /** A client at this address was admitted. */
  trust(address: string): void {
    keepLatest(this.trustedUntil, address, this.now() + trustTime);
  }

  private limitOf(address: string): RateLimit {
    const limit = this.own.get(address) ?? new RateLimit(1, 5, this.now);
    keepLatest(this.own, address, limit);
    return limit;
  }
}

/** From all of them or from none. */
function takeAll(limits: readonly RateLimit[]): boolean {
  const waits = limits.map((limit) => limit.take());
  if (waits.every((wait) => wait === 0)) return true;
  for (const limit of limits) limit.giveBack();
  return false;
}

function keepLatest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > mostAddresses) map.delete(map.keys().next().value!);
}
