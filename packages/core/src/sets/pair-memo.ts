/**
 * Remembers a function of two numbers below 2²⁶. What was asked lately is found in a small table, without the cost of
 * a map: most questions are asked many times in a row.
 */
export class PairMemo {
  private readonly all = new Map<number, number>();
  private readonly firsts = new Int32Array(recent).fill(-1);
  private readonly seconds = new Int32Array(recent);
  private readonly results = new Float64Array(recent);

  constructor(private readonly compute: (first: number, second: number) => number) {}

  of(first: number, second: number): number {
    const slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> (32 - recentBits);
    if (this.firsts[slot] === first && this.seconds[slot] === second) return this.results[slot]!;
    const key = first * 0x4000000 + second;
    let result = this.all.get(key);
    if (result === undefined) {
      result = this.compute(first, second);
      this.all.set(key, result);
    }
    this.firsts[slot] = first;
    this.seconds[slot] = second;
    this.results[slot] = result;
    return result;
  }
}

const recentBits = 15;
const recent = 1 << recentBits;
