import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type CaseInput, type CaseName, cases, type Measured } from "./cases/cases.js";
import { isMain } from "./is-main.js";

/*
 * A case runs in a process that has done nothing before, so that it is measured from cold, and its memory is its own.
 * This file contains both parts: what starts the process, and what runs in it.
 */

export class CaseFailed extends Error {}

/** Collects garbage on demand, so that what the generator leaves behind is not paid for by what is measured. */
const flags = ["--expose-gc", "--max-old-space-size=8192"];

export function runCase<N extends CaseName>(name: N, input: CaseInput<N>): Measured<N> {
  const self = fileURLToPath(import.meta.url);
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, self, name, JSON.stringify(input)],
    { encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  if (status === 0) return JSON.parse(stdout) as Measured<N>;
  const last = stderr.trimEnd().split("\n").slice(-12).join("\n");
  throw new CaseFailed(`case \`${name}\` ended with ${signal ?? `status ${status}`}\n${last}`);
}

async function answerParent(name: string, input: string): Promise<void> {
  const measure = cases[name as CaseName] as (input: unknown) => unknown;
  const output = (await measure(JSON.parse(input))) as object;
  const megabytes = (process.resourceUsage().maxRSS * 1024) / 1e6;
  process.stdout.write(`${JSON.stringify({ ...output, megabytes })}\n`);
  // A question that was given up keeps its threads.
  if ("finished" in output && output.finished === false) process.exit();
}

if (isMain(import.meta.url)) await answerParent(process.argv[2] ?? "", process.argv[3] ?? "{}");
