// `npm run test:long`: compares the engine with the literal evaluator on random clusters of all APIs, on a million
// connections and more, and then the kernel against both, with packets (test/packets). The clusters follow from the seed alone,
// which is the date unless it is given: npm run test:long -- --seed 20261116 --flows 5000000

// oxlint-disable unicorn/require-post-message-target-origin -- these are worker threads, not windows

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { install, requireNode, root, run } from "../../scripts/prepare.mjs";
import { compileCore } from "../compile-core.mjs";
import { today } from "../packets/random-runs.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: today() },
    flows: { type: "string", default: "2500000" },
    /** In seconds. Who is slow stops here, with a million compared or else in failure. */
    patience: { type: "string", default: "480" },
    /** For `npm test`, which sends them itself. */
    "without-packets": { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const wanted = Number(values.flows);
const patience = Number(values.patience);
const least = Math.min(wanted, 1_000_000);

requireNode();
if (!install()) process.exit(1);
const core = join(root, ".cache", "long");
compileCore(core);

console.log(
  `comparing ${format(wanted)} connections, seed ${seed} (again: npm run test:long -- --seed ${seed})`,
);
const start = performance.now();
const seconds = () => (performance.now() - start) / 1000;
const workers = [];
/** By number of the portion, the connections that were compared in it. */
const done = [];
let given = 0;
let lastWord = 0;

const outcome = await new Promise((resolve, reject) => {
  let working = Math.min(availableParallelism(), 8);
  for (let i = working; i > 0; i--) {
    const worker = new Worker(new URL("portion.mjs", import.meta.url), { workerData: { core, seed } });
    workers.push(worker);
    worker.on("error", reject);
    worker.on("message", ({ portion, flows, found }) => {
      done[portion] = flows;
      if (found !== undefined) return resolve(found);
      if (inSequence() >= wanted) return resolve(undefined);
      printProgress();
      // What is under way may just be shrinking something.
      if (seconds() < patience) worker.postMessage(given++);
      else if (--working === 0) resolve(undefined);
    });
    worker.postMessage(given++);
  }
});
await Promise.all(workers.map((worker) => worker.terminate()));

const compared = done.reduce((sum, flows) => sum + flows, 0);
const summary = `${format(compared)} connections in ${seconds().toFixed(0)} s`;
if (outcome !== undefined) {
  const folder = join(root, "test", "long", "found");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${outcome.name}.yaml`), outcome.text);
  console.log(`the engine and the evaluator do not agree, after ${summary}:\n\n${outcome.text}`);
  console.log(`kept as test/long/found/${outcome.name}.yaml: \`npm test\` asks it from now on`);
  process.exitCode = 1;
} else if (inSequence() < least) {
  console.log(`too slow: only ${summary}`);
  process.exitCode = 1;
} else {
  console.log(`the engine and the evaluator agree on ${summary}`);
  const packets = ["test/packets/run.mjs", "--long", "--seed", values.seed];
  if (!values["without-packets"])
    process.exitCode = run(process.execPath, packets, { stdio: "inherit" }).status ?? 1;
}

/** Only portions without a gap count, so that a seed means the same clusters however fast the workers are. */
function inSequence() {
  let sum = 0;
  for (let i = 0; i < given && done[i] !== undefined; i++) sum += done[i];
  return sum;
}

function printProgress() {
  if (seconds() - lastWord < 10) return;
  lastWord = seconds();
  console.log(`${format(inSequence()).padStart(11)} connections, ${lastWord.toFixed(0)} s`);
}

function format(number) {
  return number.toLocaleString("en");
}
