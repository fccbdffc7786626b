import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { ConnectionVerdict } from "../../evaluate/evaluate.js";
import type { Decision } from "../../evaluate/walk.js";
import type { PolicyRef } from "../../policy/model.js";
import { ask, type OverallVerdict } from "../explain/ask.js";
import type { Assertion, ConnectivityTest } from "./connectivity-test.js";
import { type Caveat, caveatsOfAll, mergedCaveats } from "../../state/caveat.js";
import { implementationCaveats } from "../enforcers/implementation-caveats.js";
import { type Explanation, explain } from "../explain/explain.js";
import type { State } from "../../state/state.js";

export interface TestResult {
  readonly test: ConnectivityTest;
  readonly passed: number;
  readonly mismatches: readonly Mismatch[];
  /** Assertions that could not be evaluated: bad input, neither passed nor failed. */
  readonly unanswered: readonly Unanswered[];
  /** Of the state that it was given (S9.5). */
  readonly caveats: readonly Caveat[];
}

export interface Mismatch {
  readonly assertion: Assertion;
  readonly verdict: OverallVerdict;
  readonly decidedBy: readonly string[];
  readonly explanation: Explanation;
}

export interface Unanswered {
  readonly assertion: Assertion;
  readonly diagnostic: Diagnostic;
}

/** S9.2: an expectation holds only if the verdict is exactly that; Mixed fails every one (S1.15). */
export function runConnectivityTest(state: State, test: ConnectivityTest): TestResult {
  let passed = 0;
  const mismatches: Mismatch[] = [];
  const unanswered: Unanswered[] = [];
  const differing: Caveat[] = [];
  for (const assertion of test.assertions) {
    const asked = ask(state, assertion.question);
    if (!asked.ok) {
      const about = { place: assertion.place, object: `ConnectivityTest ${test.name}` };
      unanswered.push({ assertion, diagnostic: { ...asked.diagnostic, ...about } });
      continue;
    }
    const { verdict, answers } = asked.value;
    differing.push(
      ...answers.flatMap(({ flow, connection }) => implementationCaveats(state, flow, connection.verdict)),
    );
    const deciders = answers.map(({ connection }) => decidingNames(connection));
    const { decidedBy } = assertion;
    const rightDecider = decidedBy === undefined || deciders.every((names) => names.includes(decidedBy));
    if (verdict === assertion.verdict && rightDecider) {
      passed++;
      continue;
    }
    const explained = explain(state, assertion.question);
    if (!explained.ok) continue;
    const names = [...new Set(deciders.flat())].filter((name) => isFullName(name, deciders.flat()));
    mismatches.push({ assertion, verdict, decidedBy: names, explanation: explained.value });
  }
  return { test, passed, mismatches, unanswered, caveats: mergedCaveats(caveatsOfAll(state), differing) };
}

/** A test that cannot be run, because its input is not valid. */
export function unansweredTest(test: ConnectivityTest, diagnostic: Diagnostic): TestResult {
  const unanswered = test.assertions.map((assertion) => ({ assertion, diagnostic }));
  return { test, passed: 0, mismatches: [], unanswered, caveats: [] };
}

/**
 * The names that `decidedBy` may have: for a denial those of the first direction that denies; for an Allow those of
 * either direction, and `default` only if no policy decides in either.
 */
export function decidingNames({ verdict, egress, ingress }: ConnectionVerdict): readonly string[] {
  const names = (walk: { readonly decisions: readonly Decision[] }) => walk.decisions.flatMap(deciderNames);
  if (verdict === "Deny") return names(egress.verdict === "Deny" ? egress : ingress);
  const policies = [...names(egress), ...names(ingress)].filter((name) => name !== "default");
  return policies.length > 0 ? policies : ["default"];
}

function deciderNames({ by }: Decision): readonly string[] {
  if (by.kind === "rule") return namesOf(by.rule.origin.policy);
  if (by.kind === "isolation")
    return by.isolation.flatMap(({ origin }) =>
      origin.kind === "policy" ? namesOf(origin.policy) : [origin.option],
    );
  return ["default"];
}

/** `KIND/NAMESPACE/NAME`, and shorter without the namespace. */
function namesOf({ kind, namespace, name }: PolicyRef): readonly string[] {
  return namespace === undefined ? [`${kind}/${name}`] : [`${kind}/${namespace}/${name}`, `${kind}/${name}`];
}

/** In reports the longer name of the two is enough. */
function isFullName(name: string, names: readonly string[]): boolean {
  const [kind, ...rest] = name.split("/");
  if (rest.length !== 1) return true;
  return !names.some(
    (other) => other.startsWith(`${kind}/`) && other.endsWith(`/${rest[0]}`) && other !== name,
  );
}
