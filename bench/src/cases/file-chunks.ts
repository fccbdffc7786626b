import { closeSync, openSync, readSync } from "node:fs";

const chunkBytes = 2 ** 20;

/** The text of a file that may be longer than a string can be, in UTF-8. */
export function* fileChunks(path: string): Iterable<Uint8Array> {
  const buffer = Buffer.alloc(chunkBytes);
  const file = openSync(path, "r");
  try {
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
      yield buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
