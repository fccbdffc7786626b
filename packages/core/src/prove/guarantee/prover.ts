import type { Isolation, PolicyRef, Rule, Tiers } from "../../policy/model.js";
import { directions } from "../../policy/model.js";
import type { State } from "../../state/state.js";
import { Encoding, type End, type EndKind } from "../encode/index.js";
import { type Budget, type Literal, minimalCore, not } from "../sat/index.js";
import {
  confirm,
  type Confirmed,
  type Essential,
  essentialOf,
  isConditional,
  readWitness,
  shrink,
} from "../world/index.js";
import {
  type Assumption,
  assumptionLiteral,
  type Claim,
  type ClaimedEnd,
  type OwnerMode,
  premiseOf,
  violationOf,
  type Whatever,
} from "./claim.js";

/*
 * Decides claims about every cluster:
 *
 *   is there a connection that the claim is about, and that violates it?
 *     yes ──► the simplest such model ──► manifests ──► the evaluator agrees: Refuted     (if not: our bug, Not decided)
 *     no  ──► is there a connection that it is about at all?   no: Vacuous
 *             which switches does the proof need?              Proven, resting on these rules
 */

export type Proof =
  | {
      readonly result: "Proven";
      /** Whatever happens to all other rules, the claim holds. */
      readonly restsOn: readonly (Rule | Isolation)[];
      readonly neededAssumptions: readonly Assumption[];
    }
  | ({ readonly result: "Refuted"; readonly counterexample: Confirmed } & Essential)
  | { readonly result: "NotDecided"; readonly why: string }
  | { readonly result: "Vacuous"; readonly contradicting: readonly Assumption[] };

/** One state, and any number of claims about its policies. */
export class Prover {
  private readonly bases = new Map<string, { readonly state: State; readonly encoding: Encoding }>();

  constructor(private readonly state: State) {}

  prove(claim: Claim, budget: Budget = {}): Proof {
    const modes = this.modesOf(claim.whatever);
    const { state, encoding } = this.baseFor(modes);
    encoding.connection.formula.forgetQuestions();
    const premise = premiseOf(claim, encoding);
    const violation = violationOf(claim, encoding);
    // Encoded last: they constrain every label that is mentioned.
    const assumed = new Map(
      claim.assumptions.map((assumption) => [assumptionLiteral(assumption, encoding), assumption]),
    );
    const scope = [...ownersIn(encoding, modes), premise, ...assumed.keys()];
    switch (encoding.solve([encoding.asWritten, ...scope, violation], budget, { leaves: encoding.parts })) {
      case "budget-exhausted":
        return outOfBudget;
      case "satisfiable":
        return refute(
          claim,
          { state, encoding, modes, scope: [encoding.asWritten, ...scope], violation },
          budget,
        );
      case "unsatisfiable":
        return this.restsOn(encoding, scope, violation, assumed, budget);
    }
  }

  private restsOn(
    encoding: Encoding,
    scope: readonly Literal[],
    violation: Literal,
    assumed: ReadonlyMap<Literal, Assumption>,
    budget: Budget,
  ): Proof {
    // Each rule by itself: those that the core names suffice.
    const { core } = encoding.solver;
    const about = encoding.solve(scope, budget);
    if (about === "budget-exhausted") return outOfBudget;
    if (about === "unsatisfiable")
      return {
        result: "Vacuous",
        contradicting: [...assumed].flatMap(([literal, assumption]) =>
          encoding.solver.core.includes(literal) ? [assumption] : [],
        ),
      };
    const fixed = [...scope.filter((literal) => !assumed.has(literal)), violation];
    const removable = core.filter((literal) => encoding.parts.has(literal) || assumed.has(literal));
    const needed = minimalCore(encoding, fixed, removable, budget);
    return {
      result: "Proven",
      restsOn: inOrder(
        needed.flatMap((literal) => encoding.parts.get(literal) ?? []),
        encoding.tiers,
      ),
      // In the order in which they are written.
      neededAssumptions: [...assumed].flatMap(([literal, assumption]) =>
        needed.includes(literal) ? [assumption] : [],
      ),
    };
  }

  /** S11.2: Cilium's policies are what owners write where the input shows that there is Cilium. */
  private modesOf({ networkPolicies, ciliumNetworkPolicies }: Whatever): Modes {
    // S7.12: where Cilium enforces nothing, what owners write has no effect.
    if (this.state.setup.ciliumEnforcement === "never")
      return { networkPolicies: "as-written", cilium: "as-written" };
    const hasCilium = this.state.policies.some(({ dialect }) => dialect === "cilium");
    return { networkPolicies, cilium: ciliumNetworkPolicies ?? (hasCilium ? networkPolicies : "as-written") };
  }

  /** What stays as it is written, and all connections under it. */
  private baseFor(modes: Modes): { readonly state: State; readonly encoding: Encoding } {
    const isDropped = (policy: PolicyRef): boolean => {
      if (policy.dialect === "network-policy") return modes.networkPolicies === "anything";
      return policy.dialect === "cilium" && policy.namespace !== undefined && modes.cilium === "anything";
    };
    const key = `${modes.networkPolicies === "anything"} ${modes.cilium === "anything"}`;
    const known = this.bases.get(key);
    if (known !== undefined) return known;
    const kept = this.state.definitions.filter(({ policy }) => !isDropped(policy));
    const state =
      kept.length === this.state.definitions.length ? this.state : this.state.withDefinitions(kept);
    const made = { state, encoding: new Encoding(state.tiers, state.cluster.cidrGroups) };
    this.bases.set(key, made);
    return made;
  }
}

interface Modes {
  readonly networkPolicies: OwnerMode;
  readonly cilium: OwnerMode;
}

/** As a connection meets them: first those of its source. */
function inOrder(
  parts: readonly (Rule | Isolation)[],
  { egress, ingress }: Tiers,
): readonly (Rule | Isolation)[] {
  const wanted = new Set(parts);
  const isWanted = (part: Rule | Isolation): boolean => wanted.has(part);
  return [...egress, ...ingress].flatMap((tier) => [
    ...tier.rules.filter(isWanted),
    ...tier.isolation.filter(isWanted),
  ]);
}

const outOfBudget = { result: "NotDecided", why: "the budget is exhausted; --budget gives more" } as const;

/** What owners cannot do. */
function ownersIn({ connection }: Encoding, { networkPolicies, cilium }: Modes): readonly Literal[] {
  const areFixed = (mode: OwnerMode) => mode === "as-written";
  return directions.flatMap((direction) => {
    const { allow, isolate, deny } = connection.owners[direction];
    return [
      ...(areFixed(networkPolicies) && areFixed(cilium) ? [not(allow), not(isolate)] : []),
      ...(areFixed(cilium) ? [not(deny)] : []),
    ];
  });
}

interface Question {
  readonly state: State;
  readonly encoding: Encoding;
  readonly modes: Modes;
  /** What every connection that the claim is about satisfies. */
  readonly scope: readonly Literal[];
  readonly violation: Literal;
}

function refute(claim: Claim, { state, encoding, modes, scope, violation }: Question, budget: Budget): Proof {
  // Where the budget ends while it is simplified, the last model is still a counterexample.
  shrink(encoding, kindsOf(claim), [...scope, violation], budget);
  const witness = readWitness(encoding);
  const ownersApi = modes.networkPolicies === "as-written" ? "Cilium" : "NetworkPolicy";
  const counterexample = confirm(state, { ...witness, ownersApi });
  if (counterexample.problems.length > 0 || !violates(claim, counterexample))
    return { result: "NotDecided", why: notConfirmed };
  return { result: "Refuted", counterexample, ...essentialOf(encoding, scope, violation, budget) };
}

/** An address that is claimed as such is most likely one outside of the cluster. */
function kindsOf({ from, to }: Claim): Readonly<Record<End, EndKind>> {
  const kindOf = (list: readonly ClaimedEnd[]): EndKind =>
    list.every(({ kind }) => kind === "networks") ? "external" : "pod";
  return { source: kindOf(from), destination: kindOf(to) };
}

const notConfirmed =
  "a counterexample was found that the evaluator does not confirm; this is a bug of Tierwall, please report it";

function violates({ verdict }: Claim, { decisions }: Confirmed): boolean {
  const both = directions.map((direction) => decisions[direction]);
  const isAllowed = both.every((decision) => decision.verdict === "Allow");
  return verdict === "Deny" ? isAllowed : !isAllowed || both.some(isConditional);
}
