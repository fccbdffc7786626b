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
import { collectGarbage, secondsSince } from "./clock.js";

export type ProveInput =
  | {
      readonly of: "guardrails";
      readonly clusterPolicies: number;
      readonly networkPolicies: number;
      readonly seed: number;
    }
  | { readonly of: "tenants"; readonly tenants: number }
  | { readonly of: "same"; readonly clusterPolicies: number; readonly seed: number };

export interface ProveResult {
  /** From tiers to the first confirmed answer. */
  readonly seconds: number;
  /** Each further guarantee, in milliseconds. */
  readonly further: readonly number[];
  readonly results: Readonly<Record<string, number>>;
  readonly rules: number;
}

const furtherGuarantees = 24;

export function prove(input: ProveInput): ProveResult {
  switch (input.of) {
    case "guardrails": {
      const { clusterPolicies, networkPolicies, seed } = input;
      const state = stateOf(guardrailsOf(clusterPolicies, networkPolicies, seed));
      return proveAll(state, claimsAbout(1 + furtherGuarantees));
    }
    case "tenants":
      return proveAll(stateOf(tenantsOf(input.tenants)), claimAboutTenants(input.tenants));
    case "same": {
      const policies = guardrailsOf(input.clusterPolicies, 0, input.seed);
      const [before, after] = [stateOf(policies), stateOf(refactored(policies))];
      collectGarbage();
      const start = performance.now();
      const { result } = compareEverywhere(before, after);
      return {
        seconds: secondsSince(start),
        further: [],
        results: { [result]: 1 },
        rules: ruleCount(before),
      };
    }
  }
}

function proveAll(state: State, claims: string): ProveResult {
  const { guarantees, diagnostics } = readGuarantees(claims, "claims.yaml");
  if (diagnostics.length > 0) throw new Error(diagnostics[0]!.message);
  const results: Record<string, number> = {};
  collectGarbage();
  const prover = new Prover(state);
  const times = guarantees.map((guarantee) => {
    const start = performance.now();
    const { proof } = runGuarantee(prover, state, guarantee, {});
    const result = proof?.result ?? "NotAsked";
    results[result] = (results[result] ?? 0) + 1;
    return secondsSince(start);
  });
  const [first, ...further] = times;
  return {
    seconds: first!,
    further: further.map((seconds) => seconds * 1000),
    results,
    rules: ruleCount(state),
  };
}

const ruleCount = ({ tiers }: State): number =>
  [...tiers.ingress, ...tiers.egress].reduce((sum, { rules }) => sum + rules.length, 0);

function stateOf(objects: readonly Manifest[]): State {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const state = readState([{ file: "generated.json", text }], { provenance: "file" });
  if (!state.usable) throw new Error(`the generated policies have errors: ${state.diagnostics[0]?.message}`);
  return state;
}
