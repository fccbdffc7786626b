import { createReadStream, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import type { BytesRead } from "@tierwall/kube";

/** No record is so long: a file without line breaks, or a device, is not a flow log, and must not be held as a whole. */
const longestLine = 4 * 1024 * 1024;

/** The lines of a file, packed or not, or of standard input (`-`), of any length altogether. */
export async function* linesAt(path: string, bytesRead: BytesRead): AsyncGenerator<string, void> {
  const isFile = path !== "-";
  const shown = isFile ? path : "<stdin>";
  const size = isFile ? statSync(path).size : undefined;
  const input = isFile ? createReadStream(path, { highWaterMark: 256 * 1024 }) : process.stdin;
  let read = 0;
  const counted = (async function* () {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      bytesRead(shown, (read += chunk.length), size);
      yield chunk;
    }
  })();
  yield* linesOf(unpacked(counted));
}

/** Files that gzip compressed are known by their first two bytes, whatever their names. */
async function* unpacked(chunks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const first = await chunks.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    yield* chunks;
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const unpacking = createGunzip();
  // Errors are thrown to the reader as well.
  pipeline(all, unpacking).catch(() => undefined);
  yield* unpacking as AsyncIterable<Buffer>;
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const parts = decoder.write(chunk).split("\n");
    parts[0] = rest + parts[0]!;
    rest = parts.pop()!;
    if (rest.length > longestLine)
      throw new Error(`a line is longer than ${longestLine / 1024 ** 2} MiB; records are lines of their own`);
    for (const line of parts) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  rest += decoder.end();
  if (rest !== "") yield rest;
}
