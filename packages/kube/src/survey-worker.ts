import { workerData } from "node:worker_threads";
import { surveyJson } from "@tierwall/core";
import { ChunkRing } from "./chunk-ring.js";
import { fileBlocks, fromFile } from "./file-blocks.js";
import type { SurveyTask } from "./survey-thread.js";

/*
 * Reads a file ahead of the thread that asked for it, and takes notes. Whatever goes wrong here, that thread goes on from where
 * this one came to, and tells what is wrong.
 */

const { path, outline, memory } = workerData as SurveyTask;
const ring = new ChunkRing(memory);

function survey(): "end" | "broken" {
  try {
    const chunks = fromFile(path, (descriptor) => surveyJson(fileBlocks(descriptor), outline));
    for (const chunk of chunks) if (!ring.put(chunk)) break;
    return "end";
  } catch {
    return "broken";
  }
}

ring.close(survey());
