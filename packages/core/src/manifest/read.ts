import { readJsonStream } from "./json/json-stream.js";
import { objectsInValue } from "./list.js";
import type { Receiver } from "./object.js";
import { parseManifest } from "./parse.js";
import type { Source } from "./source.js";
import { TextWindow } from "./text-window.js";
import { decodedChunks } from "./utf8.js";
import { readYamlStream } from "./yaml/yaml-stream.js";

/** Longer texts are read as streams, so that not all of their objects are in memory at once. */
const longText = 16 * 1024 * 1024;

/** All objects of a source, one by one. */
export function readObjects(source: Source, receiver: Receiver): void {
  if ("chunks" in source) readStream(decodedChunks(source.chunks()), source.file, receiver);
  else if (source.text.length > longText) readStream(slices(source.text), source.file, receiver);
  else readText(source.text, source.file, receiver);
}

function readText(text: string, file: string, receiver: Receiver): void {
  const { documents, diagnostics } = parseManifest(text, file);
  for (const found of diagnostics) receiver.report(found);
  for (const { value, ...document } of documents) objectsInValue(value, document, receiver);
}

function readStream(chunks: Iterable<string>, file: string, receiver: Receiver): void {
  const window = new TextWindow(chunks);
  if (opensJson(window)) readJsonStream(window, file, receiver);
  else readYamlStream(window, file, receiver);
}

/** A brace without a quote behind it opens a mapping of YAML. */
function opensJson(window: TextWindow): boolean {
  for (;;) {
    const { text } = window;
    if (/^\s*(?:[^\s{]|\{\s*\S)/.test(text) || !window.more(0)) return /^\s*(?:\[|\{\s*["}])/.test(text);
  }
}

function* slices(text: string): Iterable<string> {
  const size = longText / 4;
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
