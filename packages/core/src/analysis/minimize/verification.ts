import { compareEverywhere, type Equality } from "../../prove/same/index.js";
import type { Budget } from "../../prove/sat/index.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { compareHere, type Proof } from "../convert/proof.js";
import type { Draft, Step } from "./draft.js";

/** Policies that change together: those of the input, and what takes their place, if anything does. */
export interface Unit {
  readonly origins: readonly PolicyDefinition[];
  readonly draft?: Draft;
  readonly steps: readonly Step[];
}

/** What is known about the result. */
export interface Verification {
  readonly scope: "this cluster" | "every cluster";
  /** What the engine found on the cluster of the input. */
  readonly here: Proof;
  /** Whether it is the same in every cluster. */
  readonly everywhere: Equality;
}

interface VerificationOptions {
  readonly everywhere: boolean;
  readonly budget: Budget;
  /** The states of which it has to hold. */
  readonly variantsOf: (state: State) => readonly State[];
}

/** The changes after which every verdict is the same. If one changes, the changes are tried in halves. */
export function verified(state: State, units: readonly Unit[], options: VerificationOptions) {
  const before = options.variantsOf(state);
  const undone: (Unit & { readonly because: string })[] = [];
  const accept = (known: readonly Unit[], more: readonly Unit[]): readonly Unit[] => {
    if (more.length === 0) return known;
    const problem = problemOf(before, options.variantsOf(applied(state, [...known, ...more])), options);
    if (problem === undefined) return [...known, ...more];
    if (more.length === 1) {
      undone.push({ ...more[0]!, because: problem });
      return known;
    }
    const half = Math.ceil(more.length / 2);
    return accept(accept(known, more.slice(0, half)), more.slice(half));
  };
  const accepted = accept([], units);
  const after = applied(state, accepted);
  const verification: Verification = {
    scope: options.everywhere ? "every cluster" : "this cluster",
    here: compareHere(state, after),
    everywhere: accepted.length === 0 ? { result: "Same" } : compareEverywhere(state, after, options.budget),
  };
  return { accepted, undone, verification };
}

function applied(state: State, units: readonly Unit[]): State {
  const replaced = new Set(units.flatMap(({ origins }) => origins));
  return state.withDefinitions([
    ...state.definitions.filter((definition) => !replaced.has(definition)),
    ...units.flatMap(({ draft }) => (draft === undefined ? [] : [draft.definition])),
  ]);
}

/** Why the changes cannot be made. */
function problemOf(
  before: readonly State[],
  after: readonly State[],
  { everywhere, budget }: VerificationOptions,
): string | undefined {
  for (const [i, old] of before.entries()) {
    const { changedPairs, examples } = compareHere(old, after[i]!);
    if (changedPairs > 0) return `${changedPairs} connections of this cluster would change (${examples.length})`;
    if (!everywhere) continue;
    const equality = compareEverywhere(old, after[i]!, budget);
    if (equality.result === "NotDecided") return equality.why;
    if (equality.result === "Different") return "there is a cluster in which a connection would change";
  }
  return undefined;
}
