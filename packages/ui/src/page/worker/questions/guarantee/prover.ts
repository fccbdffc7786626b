/* What the page needs of the prover: a script of its own, without reports for other programs. */

export { guaranteeKind, guaranteeSchema, Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
