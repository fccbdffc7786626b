export {
  type Assumption,
  type AssumptionBody,
  type Claim,
  type ClaimedEnd,
  type OwnerMode,
  ownerModes,
  type Whatever,
} from "./claim.js";
export { admissionExpression, admissionPolicyText } from "./admission-policy.js";
export { type Proof, Prover } from "./prover.js";
export { type Guarantee, readGuarantees } from "./guarantee.js";
export { type GuaranteeResult, runGuarantee, unaskedGuarantee } from "./run-guarantee.js";
export { guaranteeSchema } from "./schema.js";
