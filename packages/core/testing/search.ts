import fc from "fast-check";
import { compile } from "../src/engine/index.js";
import { evaluatorExam, faultOfEngine, sizeOfExam } from "./agreement.js";
import { andForeign } from "./arbitrary/arbitrary-policies.js";
import { anyScenario, type Scenario, stateIn } from "./arbitrary/scenario.js";

/**
 * Small clusters shrink well; in crowded ones endpoints are similar, and form groups; Cilium has the most kinds of peers, and
 * conditions; relative peers are in the KEP's own APIs only.
 */
export const clusters = {
  small: { maxLength: 8 },
  crowded: { minPods: 3, maxPods: 6, maxReplicas: 3, minLength: 3, maxLength: 15 },
  foreign: { kinds: andForeign, maxReplicas: 2, minLength: 2, maxLength: 8 },
  cilium: { kinds: ["Cilium"], maxReplicas: 2, minLength: 2, maxLength: 4 },
  conditional: { kinds: ["Cilium"], conditions: "many", minLength: 1, maxLength: 3 },
  relative: { kinds: ["KEP AdminNetworkPolicy"], relative: true, minLength: 1, maxLength: 3 },
} as const;

export interface Search {
  readonly of: keyof typeof clusters;
  readonly runs: number;
  /** Which part of all questions about a cluster is asked. */
  readonly share: number;
  /** Without one, that of all property tests. */
  readonly seed?: number;
  /** In milliseconds. What was found until then is shrunk as far as it got. */
  readonly timeLimit?: number;
}

export interface Found {
  readonly flows: number;
  readonly counterexample?: Counterexample;
}

export interface Counterexample {
  readonly scenario: Scenario;
  readonly complaint: string;
}

/** Looks for a cluster on which the engine and the evaluator do not agree, and shrinks what it finds. */
export function search({ of, runs, share, seed, timeLimit }: Search): Found {
  const deadline = timeLimit === undefined ? Infinity : Date.now() + timeLimit;
  let flows = 0;
  let complaint = "";
  const agree = fc.property(anyScenario(clusters[of]), (scenario) => {
    // As if nothing smaller were wrong.
    if (Date.now() > deadline) return true;
    const exam = evaluatorExam(stateIn(scenario), share);
    flows += sizeOfExam(exam);
    const fault = orBreakdown(() => faultOfEngine(({ cluster, tiers }) => compile(cluster, tiers), exam));
    // Of the last that fails, which is the smallest.
    complaint = fault ?? complaint;
    return fault === undefined;
  });
  const options = seed === undefined ? { numRuns: runs } : { numRuns: runs, seed };
  const { counterexample } = fc.check(agree, options);
  return counterexample === null
    ? { flows }
    : { flows, counterexample: { scenario: counterexample[0], complaint } };
}

/** An implementation that throws does not agree either. */
export function orBreakdown(compare: () => string | undefined): string | undefined {
  try {
    return compare();
  } catch (error) {
    return String(error);
  }
}
