/** Messages of DNS over TCP: each is prefixed with its length in two bytes. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete now. */
  push(chunk: Buffer): readonly Buffer[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const complete: Buffer[] = [];
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0);
      complete.push(bytes.subarray(2, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
    return complete;
  }
}

export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}
