import fc from "fast-check";
import type { State } from "../src/state/state.js";
import type { Engine } from "../src/engine/index.js";
import type { evaluate } from "../src/evaluate/evaluate.js";
import { evaluatorExam, type Exam, faultOfEngine, faultOfEvaluator, oracleExam } from "./agreement.js";
import { directions } from "../src/policy/model.js";
import { anyScenario, stateIn } from "./arbitrary/scenario.js";
import {
  anyCompleteScenario,
  compareModels,
  compareWorlds,
  dice,
  type Encoder,
} from "./encoder-agreement.js";
import { orBreakdown, type Search, clusters } from "./search.js";

/** Examines a part of core with a planted bug: returns the first wrong answer. */
export type Suspect = (exam: Exam) => string | undefined;

export const suspectEngine =
  (compile: (cluster: State["cluster"], tiers: State["tiers"]) => Engine): Suspect =>
  (exam) =>
    faultOfEngine(({ cluster, tiers }) => compile(cluster, tiers), exam);

export const suspectEvaluator =
  (evaluator: typeof evaluate): Suspect =>
  (exam) =>
    faultOfEvaluator(evaluator, exam);

/** Examines all mutants on the same random clusters until each is found. Returns the wrong answers, by name. */
export function hunt(
  suspects: ReadonlyMap<string, Suspect>,
  wrong: "engine" | "evaluator",
  { of, runs, share, seed }: Search & { readonly seed: number },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const knowing = wrong === "engine" ? {} : { complete: true, unknowable: false };
  const examOf = wrong === "engine" ? evaluatorExam : oracleExam;
  for (const scenario of fc.sample(anyScenario({ ...clusters[of], ...knowing }), { seed, numRuns: runs })) {
    if (found.size === suspects.size) break;
    const exam = examOf(stateIn(scenario), share);
    for (const [name, suspect] of suspects) {
      const fault = found.has(name) ? undefined : orBreakdown(() => suspect(exam));
      if (fault !== undefined) found.set(name, fault);
    }
  }
  return found;
}

/** The same for encoders of proofs: both ways are compared, on clusters in which nothing is missing. */
export function huntEncoders(
  suspects: ReadonlyMap<string, Encoder>,
  { of, runs, seed }: Pick<Search, "of" | "runs"> & { readonly seed: number },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const scenarios = fc.sample(anyScenario({ ...clusters[of], complete: true }), { seed, numRuns: runs });
  for (const [i, scenario] of scenarios.entries()) {
    if (found.size === suspects.size) break;
    const state = stateIn(scenario);
    for (const [name, encoder] of suspects) {
      const compare = () =>
        compareWorlds(encoder, state, dice(i), 30).fault ?? compareModels(encoder, state, dice(i), 8).fault;
      const fault = found.has(name) ? undefined : orBreakdown(compare);
      if (fault !== undefined) found.set(name, fault);
    }
  }
  return found;
}

/** Compares an encoder with the evaluator on random clusters, until they do not agree. */
export function searchEncoder(
  encoder: Encoder,
  { runs, seed, worlds, models }: Readonly<Record<"runs" | "seed" | "worlds" | "models", number>>,
): { readonly compared: number; readonly fault?: string } {
  let compared = 0;
  const scenarios = fc.sample(anyCompleteScenario, { seed, numRuns: runs });
  for (const [i, scenario] of scenarios.entries()) {
    const state = stateIn(scenario);
    for (const found of [
      compareWorlds(encoder, state, dice(seed + i), worlds, 8),
      compareModels(encoder, state, dice(seed + i), models),
    ]) {
      // Both directions of each connection were compared.
      compared += found.decisions.length / directions.length;
      if (found.fault !== undefined)
        return { compared, fault: `${found.fault}\n\n${JSON.stringify(scenario.policies)}` };
    }
  }
  return { compared };
}
