/** A text in UTF-8 that is put together piece by piece. */
export class ByteText {
  bytes = new Uint8Array(64);
  /** How many of the bytes are of the text; what stands behind may be cut off by making it less. */
  length = 0;

  put(byte: number): void {
    this.makeRoom(1);
    this.bytes[this.length++] = byte;
  }

  add(from: Uint8Array, start: number, end: number): void {
    this.makeRoom(end - start);
    const { bytes } = this;
    let { length } = this;
    // Most pieces are so short that a call to copy them takes longer.
    for (let i = start; i < end; i++) bytes[length++] = from[i]!;
    this.length = length;
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
