import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { type Caveat, caveatsOfAll } from "../../state/caveat.js";
import type { State } from "../../state/state.js";
import type { Budget } from "../sat/index.js";
import { assumptionsIn } from "./assumptions.js";
import type { Assumption } from "./claim.js";
import type { Guarantee } from "./guarantee.js";
import type { Proof, Prover } from "./prover.js";

export interface GuaranteeResult {
  readonly guarantee: Guarantee;
  /** Absent where it could not be asked: the diagnostics say why. */
  readonly proof?: Proof;
  /** Assumptions that a proof does not need. */
  readonly unneeded: readonly Assumption[];
  readonly diagnostics: readonly Diagnostic[];
  readonly caveats: readonly Caveat[];
}

/** Decides a guarantee for the policies of a state. `prover` is of that state, and serves all guarantees about it. */
export function runGuarantee(
  prover: Prover,
  state: State,
  guarantee: Guarantee,
  budget: Budget,
): GuaranteeResult {
  const { assumptions, diagnostics } = assumptionsIn(
    guarantee.assuming,
    state,
    `Guarantee ${guarantee.name}`,
  );
  const common = { guarantee, diagnostics, caveats: caveatsOfAll(state) };
  if (diagnostics.length > 0) return { ...common, unneeded: [] };
  const proof = prover.prove({ ...guarantee.claim, assumptions }, budget);
  const unneeded =
    proof.result === "Proven" ? assumptions.filter((each) => !proof.neededAssumptions.includes(each)) : [];
  return { ...common, proof, unneeded };
}

/** A guarantee that cannot be decided, because what it is given is not valid. */
export const unaskedGuarantee = (guarantee: Guarantee, why: Diagnostic): GuaranteeResult => ({
  guarantee,
  unneeded: [],
  diagnostics: [why],
  caveats: [],
});
