import { answer } from "./answer.js";
import { edits } from "./edits.js";
import { naive } from "./naive.js";
import { prove } from "./prove.js";
import { proverSize } from "./prover-size.js";
import { read } from "./read.js";
import { verdicts } from "./verdicts.js";
import { z3 } from "./z3.js";

/** What can be measured in a process of its own. Input and output go through JSON. */
export const cases = { answer, edits, naive, prove, proverSize, read, verdicts, z3 } as const;

export type CaseName = keyof typeof cases;
export type CaseInput<N extends CaseName> = Parameters<(typeof cases)[N]>[0];
export type CaseOutput<N extends CaseName> = Awaited<ReturnType<(typeof cases)[N]>>;

/** The output, and the most memory that the process had. */
export type Measured<N extends CaseName> = CaseOutput<N> & { readonly megabytes: number };

/** Measures a case from cold. */
export type Run = <N extends CaseName>(name: N, input: CaseInput<N>) => Measured<N>;
