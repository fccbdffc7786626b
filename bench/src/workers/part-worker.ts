import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { answerAll } from "../cases/answer-all.js";
import { collectGarbage } from "../cases/clock.js";
import { parsedState } from "../generate/parsed.js";
import { planCluster } from "../generate/plan.js";
import type { PartInput } from "./answer-in-workers.js";

/*
 * Answers for one part of the sources. Each worker makes the cluster by itself, says that it has it, and begins when
 * it gets a message: making the cluster is not measured.
 */

const port = parentPort!;
const { shape, seed, part } = workerData as PartInput;
const state = parsedState(planCluster(shape, seed));
collectGarbage();
port.postMessage("ready");
await once(port, "message");
port.postMessage(answerAll(state, part));
