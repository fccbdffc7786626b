// A thread between a test, which waits for an answer without doing anything else, and the process that answers.

// oxlint-disable unicorn/require-post-message-target-origin -- these are threads, not windows

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { answers, ready } = workerData;
const server = fork(fileURLToPath(new URL("command-server.mjs", import.meta.url)), {
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
const answer = (message) => {
  answers.postMessage(message);
  Atomics.store(ready, 0, 1);
  Atomics.notify(ready, 0);
};
server.on("message", answer);
server.on("exit", (status) => answer({ ended: status }));
parentPort.on("message", (request) => server.send(request));
