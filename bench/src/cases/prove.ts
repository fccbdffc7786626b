import { readdirSync, readFileSync } from "node:fs";
import { completed, RuleQuestions } from "@tierwall/core/analysis";
import { compareEverywhere, Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
import { readState, type State } from "@tierwall/core/state";
import type { Manifest } from "../generate/json.js";
import {
  claimAboutTenants,
  claimsAbout,
  guardrailsOf,
  refactored,
  tenantsOf,
} from "../generate/guardrails.js";
import { collectGarbage, processorSeconds, secondsSince } from "./clock.js";

export type ProveInput =
  | { readonly of: "examples" }
  | {
      readonly of: "guardrails";
      readonly clusterPolicies: number;
      readonly networkPolicies: number;
      readonly seed: number;
    }
  | { readonly of: "tenants"; readonly tenants: number }
  | { readonly of: "same"; readonly rules: number; readonly seed: number }
  | { readonly of: "redundancy"; readonly rules: number; readonly seed: number };

export interface ProveResult {
  /**
   * From tiers to the first confirmed answer: the time of processors, or that of the clock where it is less. Compilers and garbage
   * collectors run on other processors at the same time, and on a busy machine the clock also counts what others do.
   */
  readonly seconds: number;
  /** The same, as a clock shows it. */
  readonly elapsed: number;
  /** Each further guarantee. */
  readonly further: readonly Further[];
  readonly results: Readonly<Record<string, number>>;
  readonly rules: number;
}

interface Further {
  readonly result: string;
  readonly milliseconds: number;
}

const furtherGuarantees = 24;

export function prove(input: ProveInput): ProveResult {
  switch (input.of) {
    case "examples":
      return proveExamples();
    case "guardrails": {
      const { clusterPolicies, networkPolicies, seed } = input;
      const state = stateOf(guardrailsOf(clusterPolicies, networkPolicies, seed));
      collectGarbage();
      return proveAll(state, claimsAbout(1 + furtherGuarantees));
    }
    case "tenants": {
      const state = stateOf(tenantsOf(input.tenants));
      collectGarbage();
      return proveAll(state, claimAboutTenants(input.tenants));
    }
    case "redundancy":
      return proveRedundancy(stateOf(guardrailsOf(Math.ceil(input.rules / 25), 0, input.seed)));
    case "same": {
      // A policy has at most 25 rules in a direction, also where each is two.
      const policies = guardrailsOf(Math.ceil(input.rules / 12), 0, input.seed, 12);
      const [before, after] = [stateOf(policies), stateOf(refactored(policies))];
      collectGarbage();
      const took = stopwatch();
      const { result } = compareEverywhere(before, after);
      return {
        ...took(),
        further: [],
        results: { [result]: 1 },
        rules: ruleCount(before),
      };
    }
  }
}

/** Asks about each rule whether it is needed in any cluster, and if not, because of which others. */
function proveRedundancy(state: State): ProveResult {
  const results: Record<string, number> = {};
  collectGarbage();
  const took = stopwatch();
  const questions = new RuleQuestions(state.tiers, []);
  for (const { rules } of [...state.tiers.ingress, ...state.tiers.egress])
    for (const rule of rules) {
      const answer = completed(questions.answer(rule, {}));
      const result = typeof answer === "string" ? answer : answer.kind;
      results[result] = (results[result] ?? 0) + 1;
    }
  return { ...took(), further: [], results, rules: ruleCount(state) };
}

/** Each guarantee of the examples, after three rounds to warm up. */
function proveExamples(): ProveResult {
  const examples = new URL("../../../examples/", import.meta.url);
  const folders = readdirSync(examples).filter((name) => name.startsWith("guarantees-"));
  const proofs = folders.flatMap((folder) => {
    const text = (file: string) => readFileSync(new URL(`${folder}/${file}`, examples), "utf8");
    const state = readState([{ file: "policies.yaml", text: text("policies.yaml") }]);
    return ["holds.yaml", "refuted.yaml"].map((file) => () => proveAll(state, text(file)));
  });
  for (let round = 0; round < 3; round++) for (const proof of proofs) proof();
  const found = proofs.map((proof) => proof());
  const further = found.flatMap((one) => [
    { result: "first", milliseconds: one.seconds * 1000 },
    ...one.further,
  ]);
  return { ...found[0]!, further, results: {}, rules: 0 };
}

function proveAll(state: State, claims: string): ProveResult {
  const { guarantees, diagnostics } = readGuarantees(claims, "claims.yaml");
  if (diagnostics.length > 0) throw new Error(diagnostics[0]!.message);
  const results: Record<string, number> = {};
  const prover = new Prover(state);
  const asked = guarantees.map((guarantee) => {
    const took = stopwatch();
    const { proof } = runGuarantee(prover, state, guarantee, {});
    const result = proof?.result ?? "NotAsked";
    results[result] = (results[result] ?? 0) + 1;
    return { ...took(), result };
  });
  const [first, ...others] = asked;
  return {
    seconds: first!.seconds,
    elapsed: first!.elapsed,
    further: others.map(({ seconds, result }) => ({ result, milliseconds: seconds * 1000 })),
    results,
    rules: ruleCount(state),
  };
}

function stopwatch(): () => { readonly seconds: number; readonly elapsed: number } {
  const [start, clock] = [processorSeconds(), performance.now()];
  return () => {
    const elapsed = secondsSince(clock);
    return { seconds: Math.min(processorSeconds() - start, elapsed), elapsed };
  };
}

const ruleCount = ({ tiers }: State): number =>
  [...tiers.ingress, ...tiers.egress].reduce((sum, { rules }) => sum + rules.length, 0);

export function stateOf(objects: readonly Manifest[]): State {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const state = readState([{ file: "generated.json", text }], { provenance: "file" });
  if (!state.usable) throw new Error(`the generated policies have errors: ${state.diagnostics[0]?.message}`);
  return state;
}
