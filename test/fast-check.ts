// fast-check, which tests get under its own name while a slice runs (vitest.config.ts): properties are tried on fewer cases, the
// first ones of those that they are tried on in full.

import real, { type IRawProperty, type Parameters } from "../node_modules/fast-check/lib/fast-check.js";
import { fewerRuns } from "./slice.mjs";

/** One case may be an empty one. */
const least = 5;

function inSlice<T>(parameters: Parameters<T> = {}): Parameters<T> {
  const { numRuns = 100 } = { ...real.readConfigureGlobal(), ...parameters };
  return { ...parameters, numRuns: fewerRuns(numRuns, Math.max(least, parameters.examples?.length ?? 0)) };
}

/** Of a property that takes its time there is a promise, and of others nothing. */
function assert<T>(property: IRawProperty<T>, parameters?: Parameters<T>): void | Promise<void> {
  return real.assert(property, inSlice(parameters));
}

// oxlint-disable-next-line import/no-default-export -- as in the package
export default { ...real, assert };
