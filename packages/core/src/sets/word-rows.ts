/** Numbers rows of words by what they contain, in the order in which they come. Rows with equal hashes are compared. */
export class WordRows {
  /** The row to look for. */
  readonly key: Uint32Array;
  count = 0;
  private rows: Uint32Array;
  private slots = new Int32Array(64).fill(empty);

  constructor(
    private readonly width: number,
    private readonly hash: (rows: Uint32Array, from: number, to: number) => number = hashOf,
  ) {
    this.key = new Uint32Array(width);
    this.rows = new Uint32Array(32 * width);
  }

  /** The number of the key, which is a new one if the key is new. */
  find(): number {
    const { key, width } = this;
    const last = this.slots.length - 1;
    for (let slot = this.hash(key, 0, width) & last; ; slot = (slot + 1) & last) {
      const row = this.slots[slot]!;
      if (row === empty) return this.add(slot);
      if (this.isKey(row)) return row;
    }
  }

  private isKey(row: number): boolean {
    const { key, width, rows } = this;
    for (let w = 0; w < width; w++) if (rows[row * width + w] !== key[w]) return false;
    return true;
  }

  private add(slot: number): number {
    const row = this.count++;
    this.slots[slot] = row;
    this.rows.set(this.key, row * this.width);
    if (this.count * 2 === this.slots.length) this.grow();
    return row;
  }

  private grow(): void {
    const { width } = this;
    const rows = new Uint32Array(this.rows.length * 2);
    rows.set(this.rows);
    this.rows = rows;
    this.slots = new Int32Array(this.slots.length * 2).fill(empty);
    const last = this.slots.length - 1;
    for (let row = 0; row < this.count; row++) {
      let slot = this.hash(rows, row * width, (row + 1) * width) & last;
      while (this.slots[slot] !== empty) slot = (slot + 1) & last;
      this.slots[slot] = row;
    }
  }
}

const empty = -1;

function hashOf(rows: Uint32Array, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) {
    hash = Math.imul(hash ^ rows[i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
