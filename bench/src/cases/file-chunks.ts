import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const chunkBytes = 2 ** 20;

/** The text of a file that may be longer than a string can be. */
export function* fileChunks(path: string): Iterable<string> {
  const buffer = Buffer.alloc(chunkBytes);
  // A character may begin in one chunk and end in the next.
  const decoder = new StringDecoder("utf8");
  const file = openSync(path, "r");
  try {
    for (;;) {
      const length = readSync(file, buffer);
      if (length === 0) break;
      yield decoder.write(buffer.subarray(0, length));
    }
    yield decoder.end();
  } finally {
    closeSync(file);
  }
}
