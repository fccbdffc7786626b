import { closeSync, openSync, readSync } from "node:fs";

/** Small enough to stay in the processor's cache while it is read. */
export const chunkSize = 1024 * 1024;

/** From where the file is. The same buffer again and again, full but for the last time: pipes give little at once. */
export function* fileBlocks(descriptor: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (let length = 0; ; ) {
    const read = readSome(descriptor, buffer, length);
    length += read;
    if (length > 0 && (read === 0 || length === buffer.length)) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    if (read === 0) return;
  }
}

/** The blocks of a file, which is open for as long as they are read. */
export function* fileChunks(path: string): Generator<Buffer, void> {
  const descriptor = openSync(path, "r");
  try {
    yield* fileBlocks(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A terminal or pipe that has nothing yet is asked again, and one that is closed has ended. */
function readSome(descriptor: number, buffer: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, from, buffer.length - from, null);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
