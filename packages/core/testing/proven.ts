import { type GuaranteeResult, Prover, readGuarantees, runGuarantee } from "../src/prove/guarantee/index.js";
import type { Proof } from "../src/prove/guarantee/index.js";
import type { Budget } from "../src/prove/sat/index.js";
import { readState, type StateOptions } from "../src/state/state.js";

/** Decides the one guarantee whose spec this is, for policies in YAML. */
export function proven(
  policies: string,
  spec: string,
  options: StateOptions = {},
  budget: Budget = {},
): GuaranteeResult {
  const text = `apiVersion: tierwall.dev/v1\nkind: Guarantee\nmetadata: {name: claim}\nspec:\n${spec
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")}\n`;
  const { guarantees, diagnostics } = readGuarantees(text, "guarantee.yaml");
  const [guarantee] = guarantees;
  if (guarantee === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const state = readState([{ file: "policies.yaml", text: policies }], options);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return runGuarantee(new Prover(state), state, guarantee, budget);
}

/** Only the result; a guarantee that cannot be checked is an error. */
export function resultOf(policies: string, spec: string): Proof["result"] {
  const { proof, diagnostics } = proven(policies, spec);
  if (proof === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return proof.result;
}

/** The counterexample of a claim that must be refuted. */
export function refuted(policies: string, spec: string): Extract<Proof, { result: "Refuted" }> {
  const { proof } = proven(policies, spec);
  if (proof?.result !== "Refuted") throw new Error(`it is ${proof?.result}`);
  return proof;
}
