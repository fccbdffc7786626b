import type { AskedPair } from "../src/analysis/explain/ask.js";
import type { State } from "../src/state/state.js";
import type { Block, Engine } from "../src/engine/index.js";
import { evaluate, type Verdict } from "../src/evaluate/evaluate.js";
import type { Flow } from "../src/evaluate/flow.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "./every-flow.js";
import { expandPairs } from "./expanded-pairs.js";
import { type OracleOutcomes, oracle } from "./oracle/oracle.js";
import { about } from "./arbitrary/scenario.js";

/*
 * Compares two implementations on all questions about a small cluster. The answers of the simpler
 * one are an exam for the others.
 */

export interface Exam {
  readonly state: State;
  /** The members that an engine answers for at once. */
  readonly memberPairs: readonly AskedPair[];
  /** Connections between these, and those of endpoints that the cluster does not have. */
  readonly amongMembers: readonly Asked[];
  readonly withOthers: readonly Asked[];
}

interface Asked {
  readonly flow: Flow;
  readonly wanted: Verdict;
}

/** Questions whose answers are the evaluator's. `share`: which part of all questions is asked. */
export function evaluatorExam(state: State, share: number): Exam {
  return examOf(state, share, (flow) => evaluate(state.cluster, state.tiers, flow).verdict);
}

/** The same with the oracle's answers, for clusters without unknown facts: otherwise it is not as exact. */
export function oracleExam(state: State, share: number): Exam {
  return examOf(state, share, (flow) => {
    const { egress, ingress } = oracle(state.cluster, state.tiers, flow);
    return both(onlyOf(egress), onlyOf(ingress));
  });
}

export const sizeOfExam = ({ amongMembers, withOthers }: Exam): number =>
  amongMembers.length + withOthers.length;

/** The first difference of an engine: of a connection, or of all pairs. */
export function faultOfEngine(compile: (state: State) => Engine, exam: Exam): string | undefined {
  const engine = compile(exam.state);
  const asked = [...exam.amongMembers, ...exam.withOthers];
  const alone = firstFault(asked, "the engine", (flow) => engine.verdict(flow));
  if (alone !== undefined) return alone;
  // Rows that verdicts have read are kept: only an engine that was not asked before computes rows together.
  const unasked = compile(exam.state);
  return (
    faultOfPairs(unasked, unasked.pairs({ representation: "tables" }), "the list of all pairs", exam) ??
    faultOfPairs(engine, streamedInParts(engine), "the stream of all pairs", exam)
  );
}

function* streamedInParts(engine: Engine): Iterable<Block> {
  for (const index of [0, 1]) yield* engine.pairs({ representation: "streamed", part: { index, of: 2 } });
}

function faultOfPairs(
  engine: Engine,
  found: Iterable<Block>,
  who: string,
  { memberPairs, amongMembers }: Exam,
): string | undefined {
  const all = expandPairs(engine, found);
  const [complaint] = all.complaints;
  if (complaint !== undefined) return `${who}: ${complaint}`;
  if (all.size !== memberPairs.length) return `${who} has ${all.size} of ${memberPairs.length} pairs`;
  return firstFault(amongMembers, who, (flow) => all.verdict(flow, flow));
}

export function faultOfEvaluator(evaluator: typeof evaluate, exam: Exam): string | undefined {
  const { cluster, tiers } = exam.state;
  const asked = [...exam.amongMembers, ...exam.withOthers];
  return firstFault(asked, "the evaluator", (flow) => evaluator(cluster, tiers, flow).verdict);
}

function examOf(state: State, share: number, answer: (flow: Flow) => Verdict): Exam {
  const ports = portsAtBorders(state);
  const members = memberPairs(state.cluster);
  const ask = (pairs: readonly AskedPair[]) =>
    Array.from(flowsAmong(pairs, ports, share), (flow): Asked => ({ flow, wanted: answer(flow) }));
  return { state, memberPairs: members, amongMembers: ask(members), withOthers: ask(otherPairs(state)) };
}

function firstFault(
  asked: readonly Asked[],
  who: string,
  say: (flow: Flow) => Verdict | undefined,
): string | undefined {
  for (const { flow, wanted } of asked) {
    const said = say(flow);
    if (said !== wanted) return `${about(flow)} is ${wanted}, and ${who} says ${said ?? "nothing"}`;
  }
  return undefined;
}

function onlyOf(outcomes: OracleOutcomes): Verdict {
  const [first, ...others] = outcomes;
  return first === undefined || others.length > 0 ? "Undecided" : first;
}

// S1.4
function both(egress: Verdict, ingress: Verdict): Verdict {
  if (egress === "Deny" || ingress === "Deny") return "Deny";
  return egress === "Allow" ? ingress : egress;
}
