import { statSync } from "node:fs";
import { readState } from "@tierwall/core/state";
import { bigFile } from "@tierwall/kube";
import { answerAll } from "./answer-all.js";
import { secondsSince } from "./clock.js";

export interface ReadInput {
  readonly file: string;
}

export interface ReadResult {
  /** From opening the file to the answer for all pairs. */
  readonly seconds: number;
  readonly readSeconds: number;
  readonly pods: number;
}

/** Reads a snapshot from a file, as commands do, and answers for all pairs. */
export function read({ file }: ReadInput): ReadResult {
  const start = performance.now();
  const state = readState([bigFile(file, file, statSync(file).size, () => undefined)]);
  const readSeconds = secondsSince(start);
  if (!state.usable) throw new Error(`the snapshot has errors: ${state.diagnostics[0]?.message}`);
  answerAll(state);
  return { seconds: secondsSince(start), readSeconds, pods: state.cluster.pods.size };
}
