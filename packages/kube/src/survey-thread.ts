import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Outline, SurveyedChunk } from "@tierwall/core";
import { ChunkRing } from "./chunk-ring.js";
import { fileBlocks, fromFile } from "./file-blocks.js";

export interface SurveyTask {
  readonly path: string;
  readonly outline: Outline;
  readonly memory: SharedArrayBuffer;
}

const surveyor = new URL("./survey-worker.js", import.meta.url);

/** Whether a thread that reads ahead would help: the file seems to be JSON, and there is a processor for it. */
export function isWorthSurveying(
  path: string,
  processors = availableParallelism(),
  entry = surveyor,
): boolean {
  // A thread that cannot begin is noticed late.
  if (processors < 2 || !existsSync(entry)) return false;
  const [beginning] = fromFile(path, fileBlocks);
  return /^\uFEFF?\s*\{\s*"/.test(beginning?.toString("utf8", 0, 1024) ?? "");
}

/** In milliseconds, without a chunk. On a machine that is so busy, reading alone is not slower. */
const usualPatience = 10_000;

/** The chunks of a file with the notes of a thread that reads ahead. Where that fails, reading goes on here, without notes. */
export function* surveyedChunks(
  path: string,
  outline: Outline,
  patience = usualPatience,
  entry = surveyor,
): Generator<SurveyedChunk, void> {
  const ring = new ChunkRing();
  const worker = startWorker(entry, { path, outline, memory: ring.memory });
  let read = 0;
  try {
    const chunks = ring.taken(patience);
    let next = chunks.next();
    for (; next.done !== true; next = chunks.next()) {
      read += next.value.bytes.length;
      yield next.value;
    }
    if (next.value === "end") return;
  } finally {
    void worker.terminate();
  }
  for (const bytes of fromFile(path, (descriptor) => fileBlocks(descriptor, read)))
    yield { bytes, notes: new Int32Array(0), texts: new Uint8Array(0) };
}

function startWorker(entry: URL, workerData: SurveyTask): Worker {
  const worker = new Worker(entry, { workerData });
  // What it cannot read is read here, and told here.
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}
