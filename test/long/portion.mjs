// Compares one portion of random clusters after the other, as they are asked for by number.

// oxlint-disable unicorn/require-post-message-target-origin -- these are worker threads, not windows

import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { core, seed } = workerData;
const { search } = await import(pathToFileURL(`${core}/testing/search.js`).href);
const { searchEncoder } = await import(pathToFileURL(`${core}/testing/hunt.js`).href);
const encoder = {
  ...(await import(pathToFileURL(`${core}/src/prove/encode/index.js`).href)),
  ...(await import(pathToFileURL(`${core}/src/prove/world/index.js`).href)),
};
const { formatCase } = await import(pathToFileURL(`${core}/testing/kept-case.js`).href);

/** In turn: small clusters, crowded ones, of which more can be asked, and Cilium alone. */
const kinds = [
  { of: "small", runs: 40, share: 0.1 },
  { of: "crowded", runs: 20, share: 0.04 },
  { of: "cilium", runs: 30, share: 0.1 },
];

/** Much more than a portion takes, unless something is found: then it is for shrinking. */
const timeLimit = 60_000;

parentPort.on("message", ({ of, portion }) => {
  parentPort.postMessage({
    portion,
    ...(of === "engine" ? compareEngine(portion) : compareEncoder(portion)),
  });
});

function compareEngine(portion) {
  const kind = kinds[portion % kinds.length];
  // Far from the next day's seed.
  const { flows, counterexample } = search({ ...kind, timeLimit, seed: seed + portion * 1_000_003 });
  const found = counterexample && { name: `${seed}-${portion}`, text: formatCase(counterexample) };
  return { compared: flows, found };
}

/** Few clusters of each portion, and many connections of each: most of the time goes into setting a cluster up. */
function compareEncoder(portion) {
  const { compared, fault } = searchEncoder(encoder, {
    seed: seed + portion * 1_000_003,
    runs: 10,
    worlds: 3000,
    models: 12,
  });
  return { compared, found: fault && { name: `${seed}-${portion}`, text: fault } };
}
