import type { Json } from "./document.js";
import { quote } from "./json-scanner.js";
import { decodeUtf8 } from "./utf8.js";

/**
 * The value that was last read at some place of many objects. Snapshots are sorted: replicas of a workload follow each other,
 * and what they have in common is parsed once, and is one value, by which others can tell that they have seen it before.
 */
export class LatestValue {
  private text = new Uint8Array();
  /** How many bytes of `text` are of the value. */
  private length = 0;
  private value: Json = null;

  /** What the JSON between these bytes says. */
  read(bytes: Uint8Array, from: number, to: number): Json {
    if (this.isText(bytes, from, to)) return this.value;
    const value = parsed(bytes, from, to);
    this.remember(bytes, from, to, value);
    return value;
  }

  private isText(bytes: Uint8Array, from: number, to: number): boolean {
    const { text, length } = this;
    if (to - from !== length) return false;
    for (let i = 0; i < length; i++) if (text[i] !== bytes[from + i]) return false;
    return true;
  }

  private remember(bytes: Uint8Array, from: number, to: number, value: Json): void {
    this.length = to - from;
    if (this.text.length < this.length) this.text = new Uint8Array(2 * this.length);
    for (let i = 0; i < this.length; i++) this.text[i] = bytes[from + i]!;
    this.value = value;
  }
}

function parsed(bytes: Uint8Array, from: number, to: number): Json {
  if (bytes[from] === quote) {
    // Most are plain texts, and need no parser.
    const text = decodeUtf8(bytes.subarray(from + 1, to - 1));
    if (!text.includes("\\")) return text;
  }
  return JSON.parse(decodeUtf8(bytes.subarray(from, to))) as Json;
}
