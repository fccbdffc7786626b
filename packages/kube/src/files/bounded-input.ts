import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Diagnostic } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";

/*
 * Input may be hostile: a few kilobytes of gzip are gigabytes of text, and a device or a pipe has no end. Everything that is read is
 * counted, unpacked, before it is held.
 */

/** A snapshot of 100,000 pods is about half as large (docs/explanation/performance.md). */
export const usualMaxInput = 1024 ** 3;

/** Files that people write: tierwall.yaml, DNS records. */
const mostWritten = 16 * 1024 ** 2;

/** Input that is refused, and why. */
export class RefusedInput extends Error {
  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
  }
}

/** How much more may be read, of all files of a command together. */
export class InputBudget {
  private left: number;

  constructor(private readonly most: number = usualMaxInput) {
    this.left = most;
  }

  get room(): number {
    return this.left;
  }

  take(bytes: number, file: string): void {
    this.left -= bytes;
    if (this.left < 0) throw this.exceeded(file);
  }

  exceeded(file: string): RefusedInput {
    const message = `\`${file}\` makes the input larger than ${sizeText(this.most)}, unpacked; nothing of it was read`;
    const hint = "If it is meant to be so large, --max-input takes a higher limit, such as 4Gi.";
    return new RefusedInput(diagnostic("TW1010", message, { hint }));
  }
}

/** All of a file, a pipe or a device, if the budget has room for it. */
export function boundedBytes(path: string, file: string, budget: InputBudget, is: "text" | "packed"): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const blocks: Buffer[] = [];
    for (const block of fileBlocks(descriptor)) {
      budget.take(block.length, file);
      if (blocks.length === 0 && is === "text") refuseBinary(block, file);
      blocks.push(Buffer.from(block));
    }
    return Buffer.concat(blocks);
  } finally {
    closeSync(descriptor);
  }
}

/** What gzip packed; it counts as much as it unpacks to. */
export function unpackedBytes(packed: Buffer, file: string, budget: InputBudget): Buffer {
  // Zlib takes no limit of zero.
  const room = Math.max(1, Math.min(budget.room, largestBuffer));
  try {
    const bytes = gunzipSync(packed, { maxOutputLength: room });
    budget.take(bytes.length, file);
    refuseBinary(bytes.subarray(0, 4096), file);
    return bytes;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw budget.exceeded(file);
    throw cause;
  }
}

const largestBuffer = 2 ** 32 - 1;

/** Another encoding would be read as other names: it is refused. */
export function textOf(bytes: Buffer, file: string): string {
  refuseBinary(bytes.subarray(0, 4096), file);
  if (!isUtf8(bytes)) throw notText(file, "it is not encoded in UTF-8");
  return bytes.toString("utf8");
}

export function refuseBinary(beginning: Buffer, file: string): void {
  const [first, second] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw notText(file, "it is encoded in UTF-16");
  if (beginning.subarray(0, 4096).includes(0)) throw notText(file, "it holds NUL bytes");
}

function notText(file: string, why: string): RefusedInput {
  const message = `\`${file}\` is not text: ${why}`;
  return new RefusedInput(diagnostic("TW1011", message, { hint: "Save it as UTF-8." }));
}

/** A file that a person wrote. */
export function writtenText(path: string): string {
  return textOf(boundedBytes(path, path, new InputBudget(mostWritten), "text"), path);
}

/** In folders, pipes and devices are not manifests: opening one may wait for ever. */
export function expectFile(path: string): void {
  if (!statSync(path).isFile()) throw new Error("it is not a file");
}

/** `1 GiB`, `512 MiB`. */
function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}

/** Small enough to stay in the processor's cache while it is read. */
export const chunkSize = 1024 * 1024;

/** From where the file is. The same buffer again and again, full except for the last time: pipes give little at once. */
export function* fileBlocks(descriptor: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (let length = 0; ; ) {
    const read = readSome(descriptor, buffer, length);
    length += read;
    if (length > 0 && (read === 0 || length === buffer.length)) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    if (read === 0) return;
  }
}

/** The blocks of a file, which is open for as long as they are read. */
export function* fileChunks(path: string): Generator<Buffer, void> {
  const descriptor = openSync(path, "r");
  try {
    yield* fileBlocks(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A terminal or pipe that has nothing yet is asked again, and one that is closed has ended. */
function readSome(descriptor: number, buffer: Buffer, from: number): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, from, buffer.length - from, null);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
