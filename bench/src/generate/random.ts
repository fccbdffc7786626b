/**
 * Chance that repeats itself: one seed, one sequence, on every machine. A stream that is forked by name does not depend
 * on what else was drawn, so that a cluster with more replicas still has the same policies.
 */
export class Random {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed | 0;
  }

  /** An independent stream for one purpose. */
  fork(purpose: string): Random {
    let hash = this.seed | 0;
    for (let i = 0; i < purpose.length; i++) hash = scramble(hash ^ purpose.charCodeAt(i));
    return new Random(scramble(hash ^ purpose.length));
  }

  /** A whole number of 32 bits, not negative. */
  bits(): number {
    // A counter with an odd step visits every number once; scrambling hides that it is one.
    this.state = (this.state + 0x9e3779b9) | 0;
    return scramble(this.state) >>> 0;
  }

  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  /** An integer, first and last included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  chance(probability: number): boolean {
    return this.bits() / 2 ** 32 < probability;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  }

  /** Up to `count` different ones, in the order of the list. */
  some<T>(list: readonly T[], count: number): readonly T[] {
    let wanted = Math.min(count, list.length);
    return list.filter((_, i) => {
      const taken = this.below(list.length - i) < wanted;
      if (taken) wanted--;
      return taken;
    });
  }
}

/** Every bit of the input affects every bit of the output. */
function scramble(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
