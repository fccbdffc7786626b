/** The part of a long text that is being read, in UTF-8: it grows at its end, and parts that were read are dropped. */
export class ByteWindow {
  /** From the first byte that has not been dropped. */
  bytes: Uint8Array = new Uint8Array();
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
   * Drops everything before `from`, which becomes 0, and reads on; false, and nothing is dropped, at the end of the text.
   * New text reuses the memory of what was dropped: memory outside of the heap is expensive for the garbage collector.
   */
  more(from: number): boolean {
    let next = this.chunks.next();
    if (next.done === true) return false;
    this.bytes.copyWithin(0, from, this.length);
    this.length -= from;
    // The rest is scanned again, so the window doubles: a long value must not be scanned over and over.
    for (let missing = this.length; next.done !== true; next = this.chunks.next()) {
      this.append(next.value);
      missing -= next.value.length;
      if (missing <= 0) break;
    }
    return true;
  }

  /** All that is in the window, and all that is to come. */
  *rest(): Iterable<Uint8Array> {
    if (this.length > 0) yield this.bytes.subarray(0, this.length);
    for (let next = this.chunks.next(); next.done !== true; next = this.chunks.next()) yield next.value;
  }

  private append(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.length);
    this.length = length;
  }
}

const byteOrderMark: readonly number[] = [0xef, 0xbb, 0xbf];
