/*
 * `@tierwall/core/prove`: guarantees, which hold in every cluster or are refuted by one.
 */

export {
  type Guarantee,
  type GuaranteeResult,
  guaranteeSchema,
  type Proof,
  Prover,
  readGuarantee,
  readGuarantees,
  runGuarantee,
  unaskedGuarantee,
} from "../prove/guarantee/index.js";
export { compareEverywhere, type Equality } from "../prove/same/index.js";
export {
  differenceLines,
  equalityJson,
  equalityText,
  resultJson as equalityResultJson,
  type Sides,
  writtenDifference,
} from "../report/proofs/equality.js";
export { equalityGithub, equalityJunit, equalitySarif } from "../report/proofs/equality-ci.js";
export { proofsGithub, proofsJunit, proofsSarif } from "../report/proofs/proofs-ci.js";
export { proofsJson } from "../report/proofs/proofs-json.js";
export { proofsText } from "../report/proofs/proofs-text.js";
export { connectionText, partText } from "../report/proofs/proofs-words.js";
export { writtenAdmissionPolicies, writtenCounterexample } from "../report/proofs/written-counterexample.js";
export { guaranteeKind } from "../state/test-kind.js";
