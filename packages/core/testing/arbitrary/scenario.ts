import fc from "fast-check";
import { candidatesFor, type Question } from "../../src/analysis/explain/ask.js";
import { readState, type State, type StateOptions } from "../../src/state/state.js";
import type { Facts } from "../../src/cluster/model.js";
import { type ConnectionVerdict, evaluate, type WalkVerdict } from "../../src/evaluate/evaluate.js";
import { type Flow, formatEndpoint } from "../../src/evaluate/flow.js";
import type { Decision } from "../../src/evaluate/walk.js";
import { formatPolicy } from "../../src/policy/model.js";
import {
  anyCluster,
  anyFacts,
  type ClusterChoices,
  type ClusterModel,
  manifestsOf,
} from "./arbitrary-cluster.js";
import { anyPolicies, type PolicyChoices } from "./arbitrary-policies.js";
import { questionsAbout } from "./arbitrary-question.js";
import type { Manifest } from "./arbitrary-vocabulary.js";

/** A cluster, its policies, what is known besides, and what is asked. */
export interface Scenario {
  readonly cluster: ClusterModel;
  readonly policies: readonly Manifest[];
  readonly facts: Partial<Facts>;
  readonly questions: readonly Question[];
}

export function anyScenario(choices: PolicyChoices & ClusterChoices = {}): fc.Arbitrary<Scenario> {
  return anyCluster(choices).chain((cluster) =>
    fc.record({
      cluster: fc.constant(cluster),
      policies: anyPolicies(choices),
      facts: anyFacts(choices),
      questions: questionsAbout(cluster, choices),
    }),
  );
}

/** Reads objects that must have no errors. */
export function stateOf(objects: readonly Manifest[], options: StateOptions = {}): State {
  // One file per object: places of warnings are then found quickly.
  const sources = objects.map((object, i) => ({ file: `${i}.json`, text: JSON.stringify(object) }));
  const state = readState(sources, options);
  if (!state.usable)
    throw new Error(
      state.diagnostics
        .map(({ code, object, path, message }) => `${code} ${object} ${path?.join(".")}: ${message}`)
        .join("\n"),
    );
  return state;
}

/** The scenario's state, or one with other policies in it. */
export function stateIn({ cluster, policies, facts }: Scenario, others = policies): State {
  return stateOf([...manifestsOf(cluster), ...others], { facts });
}

/** The connections that a question means; none if the two endpoints cannot connect. */
export function flowsOf(state: State, question: Question): readonly Flow[] {
  const found = candidatesFor(state, question);
  if (!found.ok) return [];
  return found.value.candidates.map(({ pair, port }) => ({
    ...pair,
    ...(port ?? { protocol: "TCP", port: 80 }),
  }));
}

/** `alpha/pod-0 -> 203.0.113.1 TCP 80, IPv4`, so that failures are readable. */
export function about({ source, destination, protocol, port, family, toItself }: Flow): string {
  const ends = `${formatEndpoint(source)} -> ${formatEndpoint(destination)}`;
  return `${ends} ${protocol} ${port}, IPv${family ?? "?"}${toItself ? ", its own address" : ""}`;
}

export function connectionsIn(state: State, questions: readonly Question[]): readonly ConnectionVerdict[] {
  return questions.flatMap((question) =>
    flowsOf(state, question).map((flow) => evaluate(state.cluster, state.tiers, flow)),
  );
}

/** `Deny (Allow, Deny)`: the verdict, and that of egress and ingress, for every connection. */
export function verdictsIn(state: State, questions: readonly Question[]): readonly string[] {
  return connectionsIn(state, questions).map(
    ({ verdict, egress, ingress }) => `${verdict} (${egress.verdict}, ${ingress.verdict})`,
  );
}

/** The verdicts with deciders, conditions and missing facts. */
export function tellingsIn(state: State, questions: readonly Question[]): readonly string[] {
  return connectionsIn(state, questions).map(
    ({ egress, ingress }) => `${describeWalk(egress)} / ${describeWalk(ingress)}`,
  );
}

export function describeWalk({ verdict, decisions, missing, notes }: WalkVerdict): string {
  return JSON.stringify({
    verdict,
    by: decisions.map(describeDecision),
    missing: missing.map(({ text }) => text),
    notes,
  });
}

export function describeDecision({ verdict, by, conditions }: Decision): string {
  const who =
    by.kind === "rule"
      ? `${formatPolicy(by.rule.origin.policy)} ${by.rule.origin.path} (${by.tier})`
      : by.kind === "isolation"
        ? `${by.tier} ${by.isolation.map(({ origin }) => (origin.kind === "policy" ? formatPolicy(origin.policy) : origin.option)).join(", ")}`
        : by.kind;
  return [verdict, by.kind, who, ...conditions].join("; ");
}
