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

/** Why changes are not made: a connection that would change, or a question that was not decided. */
export type Obstacle =
  | { readonly kind: "changed here"; readonly proof: Proof }
  | { readonly kind: "not the same everywhere"; readonly equality: Exclude<Equality, { result: "Same" }> };

/** Changes that were not made. */
export type UndoneUnit = Unit & { readonly because: Obstacle };

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

/** The changes after which every verdict is the same. If one changes, the changes are tried in halves, as long as there is time. */
export function verified(state: State, units: readonly Unit[], options: VerificationOptions) {
  const before = options.variantsOf(state);
  const undone: UndoneUnit[] = [];
  let here: Proof | undefined;
  const accept = (known: readonly Unit[], more: readonly Unit[]): readonly Unit[] => {
    if (more.length === 0) return known;
    const compared = compare(before, options.variantsOf(applied(state, [...known, ...more])), options);
    if (!("kind" in compared)) {
      here = compared;
      return [...known, ...more];
    }
    const isLate = Date.now() > (options.budget.deadline ?? Infinity);
    if (more.length === 1 || (isLate && compared.kind !== "changed here")) {
      undone.push(...more.map((unit) => ({ ...unit, because: compared })));
      return known;
    }
    const half = Math.ceil(more.length / 2);
    return accept(accept(known, more.slice(0, half)), more.slice(half));
  };
  const accepted = accept([], units);
  const verification: Verification = {
    scope: options.everywhere ? "every cluster" : "this cluster",
    here: here ?? compareHere(state, state),
    everywhere: equality(accepted, state, options),
  };
  return { accepted, undone, verification };
}

/** Of the result; proven already where it was asked for. */
function equality(
  accepted: readonly Unit[],
  state: State,
  { everywhere, budget }: VerificationOptions,
): Equality {
  if (everywhere || accepted.length === 0) return { result: "Same" };
  return compareEverywhere(state, applied(state, accepted), budget);
}

function applied(state: State, units: readonly Unit[]): State {
  const replaced = new Set(units.flatMap(({ origins }) => origins));
  return state.withDefinitions([
    ...state.definitions.filter((definition) => !replaced.has(definition)),
    ...units.flatMap(({ draft }) => (draft === undefined ? [] : [draft.definition])),
  ]);
}

/** What the engine found, or why the changes cannot be made. */
function compare(
  before: readonly State[],
  after: readonly State[],
  { everywhere, budget }: VerificationOptions,
): Proof | Obstacle {
  const proofs: Proof[] = [];
  for (const [i, old] of before.entries()) {
    const proof = compareHere(old, after[i]!);
    proofs.push(proof);
    if (proof.changedPairs > 0) return { kind: "changed here", proof };
    if (!everywhere) continue;
    const found = compareEverywhere(old, after[i]!, budget);
    if (found.result !== "Same") return { kind: "not the same everywhere", equality: found };
  }
  return proofs[0]!;
}
