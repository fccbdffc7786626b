// `npm run test:long`: compares the engine with the literal evaluator on random clusters of all APIs, on a million connections and
// more, the encoding of proofs with it on a million worlds, and then the kernel with both, with packets (test/packets). The clusters
// follow from the seed alone, which is the date unless it is given: npm run test:long -- --seed 20261116 --flows 5000000

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
    /** Connections and models that proofs in every cluster are compared on. */
    worlds: { type: "string", default: "1000000" },
    /** In seconds. Who is slow stops here, with a million compared or else in failure. */
    patience: { type: "string", default: "480" },
    /** For `npm test`, which sends them itself. */
    "without-packets": { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const wanted = Number(values.flows);
const worlds = Number(values.worlds);
const patience = Number(values.patience);

requireNode();
if (!install()) process.exit(1);
const core = join(root, ".cache", "long");
compileCore(core);

console.log(`seed ${seed} (again: npm run test:long -- --seed ${seed})`);
const engine = await compare({ of: "engine", what: "connections", wanted, patience });
if (engine.found !== undefined) {
  const folder = join(root, "test", "long", "found");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${engine.found.name}.yaml`), engine.found.text);
  fail(`the engine and the evaluator do not agree, after ${engine.summary}:\n\n${engine.found.text}`);
  fail(`kept as test/long/found/${engine.found.name}.yaml: \`npm test\` asks it from now on`);
} else if (engine.compared < Math.min(wanted, 1_000_000)) fail(`too slow: only ${engine.summary}`);
else console.log(`the engine and the evaluator agree on ${engine.summary}`);

// Connections of random clusters, and models of the encoding as clusters: what proofs in every cluster rest on.
const encoder = await compare({ of: "encoder", what: "worlds", wanted: worlds, patience });
if (encoder.found !== undefined)
  fail(
    `the encoding of proofs and the evaluator do not agree, after ${encoder.summary}:\n\n${encoder.found.text}`,
  );
else if (encoder.compared < worlds) fail(`too slow: only ${encoder.summary}`);
else console.log(`the encoding of proofs and the evaluator agree on ${encoder.summary}`);

if (process.exitCode === undefined && !values["without-packets"]) {
  const packets = ["test/packets/run.mjs", "--long", "--seed", values.seed];
  process.exitCode = run(process.execPath, packets, { stdio: "inherit" }).status ?? 1;
}

function fail(text) {
  console.log(text);
  process.exitCode = 1;
}

/** Compares portion after portion in workers, until enough is compared, something is found, or patience ends. */
async function compare({ of, what, wanted, patience }) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  /** By number of the portion, how many were compared in it. */
  const done = [];
  const workers = [];
  let given = 0;
  let lastReport = 0;
  const found = await new Promise((resolve, reject) => {
    let working = Math.min(availableParallelism(), 8);
    for (let i = working; i > 0; i--) {
      const worker = new Worker(new URL("portion.mjs", import.meta.url), { workerData: { core, seed } });
      const next = () => worker.postMessage({ of, portion: given++ });
      workers.push(worker);
      worker.on("error", reject);
      worker.on("message", ({ portion, compared, found }) => {
        done[portion] = compared;
        if (found !== undefined) return resolve(found);
        if (inSequence(done) >= wanted) return resolve(undefined);
        if (seconds() - lastReport >= 10) {
          lastReport = seconds();
          console.log(`${format(inSequence(done)).padStart(11)} ${what}, ${lastReport.toFixed(0)} s`);
        }
        // What is under way may just be shrinking something.
        if (seconds() < patience) next();
        else if (--working === 0) resolve(undefined);
      });
      next();
    }
  });
  await Promise.all(workers.map((worker) => worker.terminate()));
  const all = done.reduce((sum, compared) => sum + compared, 0);
  return {
    found,
    compared: inSequence(done),
    summary: `${format(all)} ${what} in ${seconds().toFixed(0)} s`,
  };
}

/** Only portions without a gap count, so that a seed means the same clusters however fast the workers are. */
function inSequence(done) {
  let sum = 0;
  for (let i = 0; i < done.length && done[i] !== undefined; i++) sum += done[i];
  return sum;
}

function format(number) {
  return number.toLocaleString("en");
}
