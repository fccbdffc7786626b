import { setImmediate as othersFirst } from "node:timers/promises";

/** Milliseconds that nobody minds waiting for: not API servers that ask, nor the kubelet, nor the Lease. */
const longest = 20;

/** Does all steps, and lets others have their turn in between. Undefined: it was told to stop before the last one. */
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
