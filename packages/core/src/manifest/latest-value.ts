import type { Json } from "./document.js";

/**
 * The value that was last read at some place of many objects. Snapshots are sorted: replicas of a workload follow each other,
 * and what they have in common is parsed once, and is one value, by which others can tell that they have seen it before.
 */
export class LatestValue {
  /** What the text says; undefined until it has been parsed. */
  value: Json | undefined;
  private text = new Uint8Array();
  /** How many bytes of `text` are of the value. */
  private length = 0;

  /** The value, if it is what the JSON between these bytes says; if not, they are remembered, and the value is to be set. */
  of(bytes: Uint8Array, from: number, to: number): Json | undefined {
    if (this.isText(bytes, from, to)) return this.value;
    this.value = undefined;
    this.length = to - from;
    if (this.text.length < this.length) this.text = new Uint8Array(2 * this.length);
    for (let i = 0; i < this.length; i++) this.text[i] = bytes[from + i]!;
    return undefined;
  }

  private isText(bytes: Uint8Array, from: number, to: number): boolean {
    const { text, length } = this;
    if (to - from !== length) return false;
    for (let i = 0; i < length; i++) if (text[i] !== bytes[from + i]) return false;
    return true;
  }
}
