import type { Cuttings } from "./cuttings.js";
import { backslash, type JsonScanner, quote, Unfinished } from "./json-scanner.js";
import type { Beginning } from "./lines.js";

/*
 * Replicas of a workload stand side by side in a snapshot, and are written alike: byte by byte the same, but for some texts
 * and numbers.
 *
 *     "uid": "67ccbda4-…",⏎    "phase": "Running",⏎    "podIP": "10.1.2.3"⏎
 *     "uid": "5df605c2-…",⏎    "phase": "Running",⏎    "podIP": "10.1.20.3"⏎
 *     ═══════ other ══════════════════════════════════════════ other ════
 *
 * Bytes that are the same need not be looked at one by one, and where another text or number stands in the place of one, the
 * rest is still where it was, moved. So most of a snapshot is compared, eight bytes at a time, instead of walked over. What is
 * not alike is walked over as ever: this is exact, and only a saving.
 */

/** An object that was walked over, to be compared with the next. */
export class JsonReplica {
  private bytes = new Uint8Array(lookAhead);
  private view = viewOf(this.bytes);
  private length = 0;
  /** Where the texts and numbers are that may be others. */
  private starts: Int32Array = new Int32Array(64);
  private ends: Int32Array = new Int32Array(64);
  private count = 0;
  /** By how much bytes have moved behind so many of them, and how many of these are others. */
  private shifts = new Int32Array(65);
  private changes = new Int32Array(65);
  /** How many lines it goes down, and the column it ends at. */
  private lines = 0;
  private column = 0;

  constructor(private readonly scanner: JsonScanner) {}

  /** Remembers the object between these bytes, which was walked over. */
  learn(at: number, end: number, beginning: Beginning, cuttings: Cuttings): void {
    const { line, column } = this.scanner.position(end);
    this.lines = line - beginning.line;
    this.column = column;
    this.keep(at, end);
    this.count = 0;
    if (!this.hasPlainEnd(beginning)) this.length = 0;
    else
      cuttings.eachValue((from, to) => {
        this.find(from, to);
        return this.count;
      });
  }

  forget(): void {
    this.length = 0;
  }

  /**
   * Where the object ends that begins here, if it is written like the one before, which it replaces; `cuttings` are moved to
   * it. Undefined, and nothing is walked over, where it is not.
   */
  follow(at: number, cuttings: Cuttings): number | undefined {
    if (this.length === 0) return undefined;
    const { scanner } = this;
    const beginning = scanner.position(at);
    const end = this.compare(at);
    if (end === undefined) {
      scanner.returnTo(at, beginning);
      return undefined;
    }
    if (this.lines > 0) scanner.returnTo(end, { line: beginning.line + this.lines, column: this.column });
    cuttings.move(this.shifts, this.changes);
    for (let i = 0; i < this.count; i++) {
      this.starts[i]! += this.shifts[i]!;
      this.ends[i]! += this.shifts[i + 1]!;
    }
    this.keep(at, end);
    if (this.lines === 0 && scanner.position(at).column !== beginning.column) this.forget();
    return end;
  }

  private compare(at: number): number | undefined {
    const { scanner, bytes, view, length, starts, ends, count, shifts, changes } = this;
    const other = scanner.bytes;
    const otherView = scanner.view;
    let known = 0;
    let shift = at;
    let changed = 0;
    for (let here = 0; ; ) {
      // As numbers of eight bytes. Those that equal no number, not even themselves, are left to the next line.
      while (here < length && view.getFloat64(here) === otherView.getFloat64(here + shift)) here += 8;
      while (here < length && bytes[here] === other[here + shift]) here++;
      for (; known < count && isBehind(bytes, starts[known]!, ends[known]!, here); known++) {
        shifts[known + 1] = shift - at;
        changes[known + 1] = changed;
      }
      if (here >= length) return length + shift;
      if (here + shift >= scanner.length) throw new Unfinished("the window ends here");
      const start = known < count ? starts[known]! : length;
      if (start > here) return undefined;
      const end = endOfOther(scanner, bytes[start]!, start + shift);
      if (end === undefined) return undefined;
      here = ends[known]!;
      shift = end - here;
      known++;
      shifts[known] = shift - at;
      changes[known] = ++changed;
    }
  }

  /** Where lines are counted, columns are too: nothing that may be another is on the last line, or all on one, of single bytes. */
  private hasPlainEnd({ column }: Beginning): boolean {
    if (this.lines === 0) return this.column - column === this.length;
    for (let i = this.length - this.column + 1; i < this.length; i++)
      if (isBetween[this.bytes[i]!] === 0) return false;
    return true;
  }

  private keep(at: number, end: number): void {
    this.length = end - at;
    if (this.bytes.length < this.length + lookAhead) {
      this.bytes = new Uint8Array(2 * this.length + lookAhead);
      this.view = viewOf(this.bytes);
    }
    this.bytes.set(this.scanner.bytes.subarray(at, end));
  }

  /** The texts and numbers of a value that was walked over. */
  private find(from: number, to: number): void {
    const { bytes } = this;
    for (let at = from; at < to; ) {
      const start = at;
      if (bytes[at] === quote) {
        for (at++; bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
        at++;
      } else if (isBetween[bytes[at]!] === 1) {
        at++;
        continue;
      } else while (at < to && isBetween[bytes[at]!] === 0) at++;
      this.add(start, at);
    }
  }

  private add(start: number, end: number): void {
    if (this.count === this.starts.length) {
      this.starts = grown(this.starts, 2 * this.count);
      this.ends = grown(this.ends, 2 * this.count);
      this.shifts = new Int32Array(2 * this.count + 1);
      this.changes = new Int32Array(2 * this.count + 1);
    }
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count++;
  }
}

/** Whether a text or number ends before the first byte that is another. A number goes on until something else stands there. */
function isBehind(bytes: Uint8Array, start: number, end: number, here: number): boolean {
  return bytes[start] === quote ? end <= here : end < here;
}

/** Where what stands in the place of a text or number ends; undefined where that is of another sort. */
function endOfOther(scanner: JsonScanner, first: number, at: number): number | undefined {
  const byte = scanner.bytes[at]!;
  if (first === quote) return byte === quote ? scanner.string(at) : undefined;
  return byte === quote || isBetween[byte] === 1 ? undefined : scanner.single(at);
}

/** Which bytes are no part of a text, a number or a word. */
const isBetween = Uint8Array.from({ length: 256 }, (_, byte) =>
  " \t\r\n{}[]:,".includes(String.fromCharCode(byte)) ? 1 : 0,
);

const lookAhead = 8;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer);

function grown(list: Int32Array, length: number): Int32Array {
  const longer = new Int32Array(length);
  longer.set(list);
  return longer;
}
