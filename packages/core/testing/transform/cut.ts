import { encodeUtf8 } from "../../src/manifest/utf8.js";

/** A text as a source provides it: in chunks that reuse the same memory. */
export function* cut(text: string, size: number): Iterable<Uint8Array> {
  const bytes = encodeUtf8(text);
  const chunk = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const next = bytes.subarray(at, at + size);
    chunk.set(next);
    yield chunk.subarray(0, next.length);
  }
}
