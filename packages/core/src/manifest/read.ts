import { ByteWindow } from "./json/byte-window.js";
import { readJsonStream } from "./json/json-stream.js";
import { objectsInValue } from "./list.js";
import type { Receiver } from "./object.js";
import { parseManifest } from "./parse.js";
import type { Source } from "./source.js";
import { decodedChunks, decodeUtf8, encodeUtf8 } from "./utf8.js";
import { TextWindow } from "./yaml/text-window.js";
import { readYamlStream } from "./yaml/yaml-stream.js";

/** Longer texts are read as streams, so that not all of their objects are in memory at once. */
const longText = 16 * 1024 * 1024;

/** All objects of a source, one by one. */
export function readObjects(source: Source, receiver: Receiver): void {
  if ("chunks" in source) readStream(source.chunks(), source.file, receiver);
  else if (source.text.length > longText) readStream(slices(source.text), source.file, receiver);
  else readText(source.text, source.file, receiver);
}

function readText(text: string, file: string, receiver: Receiver): void {
  const { documents, diagnostics } = parseManifest(text, file);
  for (const found of diagnostics) receiver.report(found);
  for (const { value, ...document } of documents) objectsInValue(value, document, receiver);
}

function readStream(chunks: Iterable<Uint8Array>, file: string, receiver: Receiver): void {
  const window = new ByteWindow(chunks);
  if (opensJson(window)) readJsonStream(window, file, receiver);
  else readYamlStream(new TextWindow(decodedChunks(window.rest())), file, receiver);
}

/** A brace without a quote behind it opens a mapping of YAML. */
function opensJson(window: ByteWindow): boolean {
  for (;;) {
    const text = decodeUtf8(window.bytes.subarray(0, window.length));
    if (/^\s*(?:[^\s{]|\{\s*\S)/.test(text) || !window.more(0)) return /^\s*(?:\[|\{\s*["}])/.test(text);
  }
}

function* slices(text: string): Iterable<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const end = at + longText / 4;
    // Two halves of one character stay together.
    const to = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "") ? end + 1 : end;
    yield encodeUtf8(text.slice(at, to));
    at = to;
  }
}
