// A worker thread that looks for planted bugs, in more and more clusters. It posts what gave each away.

import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { core, wrong, folders, sound } = workerData;
const load = (path) => import(pathToFileURL(path).href);
const { hunt, huntEncoders, suspectEngine, suspectEvaluator } = await load(`${core}/../testing/hunt.js`);

const suspectIn = async (folder) => {
  switch (wrong) {
    case "engine":
      return suspectEngine((await load(`${folder}/engine.js`)).compile);
    case "evaluator":
      return suspectEvaluator((await load(`${folder}/evaluate/evaluate.js`)).evaluate);
    case "encoder":
      return { ...(await load(`${folder}/encode/index.js`)), ...(await load(`${folder}/world/index.js`)) };
  }
};
const suspects = new Map();
for (const [name, folder] of folders) suspects.set(name, await suspectIn(folder));

const search = (some, kind) => (wrong === "encoder" ? huntEncoders(some, kind) : hunt(some, wrong, kind));

const found = new Map();
for (const kind of [
  { of: "crowded", runs: 25, share: 0.1, seed: 1 },
  { of: "cilium", runs: 60, share: 0.2, seed: 2 },
  ...(wrong === "engine" ? [{ of: "foreign", runs: 40, share: 0.2, seed: 5 }] : []),
  ...(wrong === "encoder"
    ? [
        { of: "relative", runs: 100, seed: 7 },
        { of: "conditional", runs: 100, seed: 8 },
      ]
    : []),
  { of: "small", runs: 600, share: 0.1, seed: 3 },
  { of: "cilium", runs: 400, share: 0.1, seed: 4 },
]) {
  const left = new Map([...suspects].filter(([name]) => !found.has(name)));
  if (left.size === 0) break;
  for (const [name, fault] of search(left, kind)) found.set(name, fault);
}

// Where no bug was planted there must be none to find.
const innocent = new Map([["sound", await suspectIn(sound)]]);
for (const [name, fault] of search(innocent, { of: "crowded", runs: 5, share: 0.1, seed: 6 }))
  found.set(name, fault);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
parentPort.postMessage(found);
