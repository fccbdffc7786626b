import { readJsonStream } from "./json-stream.js";
import { objectsInValue } from "./list.js";
import type { Receiver } from "./object.js";
import { parseManifest } from "./parse.js";
import type { Source } from "./source.js";
import { TextWindow } from "./window.js";
import { readYamlStream } from "./yaml-stream.js";

/** Longer texts are read as streams, lest all of their objects be in memory at once. */
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

function readStream(chunks: Iterable<string>, file: string, receiver: Receiver): void {
  const window = new TextWindow(chunks);
  while (!/^\s*(?:[^\s{]|\{\s*\S)/.test(window.text) && window.more(0));
  // A brace without a quote behind it opens a mapping of YAML.
  if (/^\s*(?:\[|\{\s*["}])/.test(window.text)) readJsonStream(window, file, receiver);
  else readYamlStream(window, file, receiver);
}

function* slices(text: string): Iterable<string> {
  const length = longText / 4;
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}
