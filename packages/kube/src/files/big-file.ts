import { closeSync, openSync, readSync } from "node:fs";
import type { ChunkedSource } from "@tierwall/core";
import type { SourceLines } from "@tierwall/core/report";
import {
  chunkSize,
  fileBlocks,
  fileChunks,
  type InputBudget,
  refuseBinary,
  textOf,
} from "./bounded-input.js";

/** A file that is too large to be held: read in chunks, and again where lines of it are to be shown. */
export interface BigFile extends ChunkedSource {
  readonly lines?: SourceLines;
}

/** Called with the number of bytes of a file that were read so far. */
export type BytesRead = (file: string, bytes: number, size: number | undefined) => void;

/** From here on files are read in chunks. */
export const bigFileSize = 16 * 1024 * 1024;

export function bigFile(path: string, shown: string, size: number, bytesRead: BytesRead): BigFile {
  return {
    file: shown,
    chunks: () => counted(fileChunks(path), (read) => bytesRead(shown, read, size)),
    lines: linesOf(path),
  };
}

function* counted(chunks: Iterable<Buffer>, report: (read: number) => void): Generator<Buffer, void> {
  let read = 0;
  for (const chunk of chunks) {
    report((read += chunk.length));
    yield chunk;
  }
}

/** Standard input as a text, or in chunks where it turns out to be long; then it can be read once only. */
export function standardInput(
  shown: string,
  bytesRead: BytesRead,
  budget: InputBudget,
): BigFile | { file: string; text: string } {
  const rest = fileBlocks(0);
  const beginning: Buffer[] = [];
  let size = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    budget.take(next.value.length, shown);
    if (size === 0) refuseBinary(next.value, shown);
    beginning.push(Buffer.from(next.value));
    size += next.value.length;
    if (size > bigFileSize)
      return { file: shown, chunks: once(beginning, within(budget, rest, shown), shown, bytesRead) };
  }
  return { file: shown, text: textOf(Buffer.concat(beginning), shown) };
}

function* within(budget: InputBudget, blocks: Iterable<Buffer>, shown: string): Generator<Buffer, void> {
  for (const block of blocks) {
    budget.take(block.length, shown);
    yield block;
  }
}

function once(
  beginning: Buffer[],
  rest: Iterable<Buffer>,
  shown: string,
  bytesRead: BytesRead,
): () => Iterable<Uint8Array> {
  let isRead = false;
  return function* () {
    if (isRead) throw new Error("standard input is too long to be read twice; save it to a file");
    isRead = true;
    const all = (function* () {
      yield* beginning.splice(0);
      yield* rest;
    })();
    yield* counted(all, (read) => bytesRead(shown, read, undefined));
  };
}

/** Every so many lines their place in the file is remembered. */
const stride = 1000;
/** Longer ones are not read to be shown: machines write a whole file on one line. */
const longestShown = 1024 * 1024;

function linesOf(path: string): SourceLines {
  let index: readonly number[] | undefined;
  return (from, to) => {
    const descriptor = openSync(path, "r");
    try {
      index ??= lineIndex(descriptor);
      const group = Math.floor((from - 1) / stride);
      const start = index[group];
      if (start === undefined) return undefined;
      const end = index[Math.floor((to - 1) / stride) + 1] ?? start + longestShown;
      const buffer = Buffer.alloc(Math.min(longestShown, end - start));
      const length = readSync(descriptor, buffer, 0, buffer.length, start);
      const lines = buffer.toString("utf8", 0, length).split(/\r?\n/);
      // The last one may have been cut.
      const first = from - 1 - group * stride;
      const last = to - group * stride;
      return lines.length > last || length < buffer.length ? lines.slice(first, last) : undefined;
    } finally {
      closeSync(descriptor);
    }
  };
}

/** Where lines 1, 1 + stride, … begin. */
function lineIndex(descriptor: number): readonly number[] {
  const starts = [0];
  const buffer = Buffer.allocUnsafe(chunkSize);
  let line = 1;
  let before = 0;
  for (;;) {
    const length = readSync(descriptor, buffer, 0, buffer.length, before);
    if (length === 0) return starts;
    const filled = buffer.subarray(0, length);
    for (let at = filled.indexOf(10); at !== -1; at = filled.indexOf(10, at + 1))
      if (line++ % stride === 0) starts.push(before + at + 1);
    before += length;
  }
}
