import { closeSync, openSync, readSync } from "node:fs";

/** Small enough to stay in the processor's cache while it is read. */
export const chunkSize = 1024 * 1024;

/**
 * From here on, or from where a pipe is. The same buffer again and again, full but for the last time: pipes give little at
 * once.
 */
export function* fileBlocks(descriptor: number, start?: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  let position = start ?? null;
  for (let length = 0; ; ) {
    const read = readSome(descriptor, buffer, length, position);
    length += read;
    if (position !== null) position += read;
    if (length > 0 && (read === 0 || length === buffer.length)) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    if (read === 0) return;
  }
}

/** What is read of a file, which is open for as long as that takes. */
export function* fromFile<T>(path: string, read: (descriptor: number) => Iterable<T>): Generator<T, void> {
  const descriptor = openSync(path, "r");
  try {
    yield* read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A terminal or pipe that has nothing yet is asked again, and one that is closed has ended. */
function readSome(descriptor: number, buffer: Buffer, from: number, position: number | null): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, from, buffer.length - from, position);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
