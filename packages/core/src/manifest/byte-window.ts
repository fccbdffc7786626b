/** The part of a long text that is being looked at, in UTF-8: it grows at its end, and what is done with is dropped. */
export class ByteWindow {
  /** From the first byte that has not been dropped. Behind the last one stand zeros, so that looking ahead needs no care. */
  bytes: Uint8Array = new Uint8Array(lookAhead);
  /** How many bytes of the text there are. */
  length = 0;
  private readonly chunks: Iterator<Uint8Array>;

  constructor(chunks: Iterable<Uint8Array>) {
    this.chunks = chunks[Symbol.iterator]();
    while (this.length < byteOrderMark.length && this.more(0));
    if (!byteOrderMark.every((byte, i) => this.bytes[i] === byte)) return;
    this.bytes = this.bytes.subarray(byteOrderMark.length);
    this.length -= byteOrderMark.length;
  }

  /**
   * Drops what stands before `from`, which becomes 0, and reads on; false, and nothing is dropped, where there is no more.
   * Memory is taken anew each time: whoever holds a part of these bytes may keep it.
   */
  more(from: number): boolean {
    const kept = this.bytes.subarray(from, this.length);
    // What is kept is copied: as much again is read, lest a long value be copied over and over.
    const added = this.next(kept.length);
    if (added.length === 0) return false;
    this.length = added.reduce((sum, chunk) => sum + chunk.length, kept.length);
    this.bytes = new Uint8Array(this.length + lookAhead);
    let at = 0;
    for (const chunk of [kept, ...added]) {
      this.bytes.set(chunk, at);
      at += chunk.length;
    }
    return true;
  }

  /** All that is in the window, and all that is to come. */
  *rest(): Iterable<Uint8Array> {
    yield this.bytes.subarray(0, this.length);
    for (let added = this.next(1); added.length > 0; added = this.next(1)) yield* added;
  }

  /** The next chunks, so many that they have at least this length, as far as there are any. */
  private next(length: number): readonly Uint8Array[] {
    const found: Uint8Array[] = [];
    for (let missing = Math.max(length, 1); missing > 0; ) {
      const next = this.chunks.next();
      if (next.done === true) break;
      missing -= next.value.length;
      // The next one may take its place in memory.
      found.push(missing > 0 ? new Uint8Array(next.value) : next.value);
    }
    return found;
  }
}

const lookAhead = 8;
const byteOrderMark = [0xef, 0xbb, 0xbf];
