/**
 * Remembers a function of two numbers, all of them from 0 to 2³¹ - 2. A hash table with open addressing in one typed
 * array: an entry is four numbers next to each other, so that finding one touches one line of the processor's cache.
 * In front of it, a small table of the same form holds what was asked lately: most questions are asked many times in a row.
 */
export class PairMemo {
  private all = new Int32Array(stride << 10);
  private count = 0;
  private readonly recent = new Int32Array(stride << recentBits);

  constructor(private readonly compute: (first: number, second: number) => number) {}

  of(first: number, second: number): number {
    const hash = hashOf(first, second);
    const { recent } = this;
    const at = (hash >>> (32 - recentBits)) * stride;
    if (recent[at] === first + 1 && recent[at + 1] === second) return recent[at + 2]!;
    const result = this.find(first, second, hash);
    recent[at] = first + 1;
    recent[at + 1] = second;
    recent[at + 2] = result;
    return result;
  }

  private find(first: number, second: number, hash: number): number {
    const at = placeOf(this.all, first, second, hash);
    if (this.all[at] !== 0) return this.all[at + 2]!;
    const result = this.compute(first, second);
    if (++this.count * stride * 2 > this.all.length) this.grow();
    // The computation may have asked for other pairs.
    put(this.all, placeOf(this.all, first, second, hash), first, second, result);
    return result;
  }

  private grow(): void {
    const before = this.all;
    this.all = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += stride)
      if (before[at] !== 0) {
        const [first, second] = [before[at]! - 1, before[at + 1]!];
        put(
          this.all,
          placeOf(this.all, first, second, hashOf(first, second)),
          first,
          second,
          before[at + 2]!,
        );
      }
  }
}

/** An entry: the first number plus one (0: there is no entry), the second, the result, and one to fill the line. */
const stride = 4;
const recentBits = 14;

function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
}

/** Where the entry of a pair is, or the free place for it. */
function placeOf(table: Int32Array, first: number, second: number, hash: number): number {
  const last = table.length - 1;
  for (let at = (hash << 2) & last; ; at = (at + stride) & last)
    if (table[at] === 0 || (table[at] === first + 1 && table[at + 1] === second)) return at;
}

function put(table: Int32Array, at: number, first: number, second: number, result: number): void {
  table[at] = first + 1;
  table[at + 1] = second;
  table[at + 2] = result;
}
