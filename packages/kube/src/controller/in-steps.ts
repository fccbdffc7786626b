import { setImmediate as othersFirst } from "node:timers/promises";

/** Milliseconds that other work can wait: requests of API servers, probes of the kubelet, the Lease. */
const longest = 20;

/** Runs all steps, with other work in between. Undefined: it was aborted before the last one. */
export async function inSteps<T>(steps: Iterator<void, T>, signal: AbortSignal): Promise<T | undefined> {
  for (let began = performance.now(); !signal.aborted; ) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < longest) continue;
    await othersFirst();
    began = performance.now();
  }
  return undefined;
}
