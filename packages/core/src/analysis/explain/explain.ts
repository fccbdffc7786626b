import { ok, type Result } from "../../diagnostics/result.js";
import { type ConnectionVerdict, evaluate, type Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import {
  type Candidate,
  candidatesFor,
  type OverallVerdict,
  overall,
  type AskedPair,
  type Question,
} from "./ask.js";
import { type Caveat, caveatsOf, mergedCaveats } from "../../state/caveat.js";
import { implementationCaveats } from "../enforcers/implementation-caveats.js";
import { type PortSet, portSets } from "./port-verdicts.js";
import type { State } from "../../state/state.js";
import { traceWalk, type WalkTrace } from "./trace.js";

/** Why a connection is allowed or denied. */
export interface Explanation {
  readonly question: Question;
  readonly from: string;
  readonly to: string;
  readonly verdict: OverallVerdict;
  /** One for each connection that the question means and that differs from the others; at least one. */
  readonly answers: readonly ExplainedAnswer[];
  /** S9.5 */
  readonly caveats: readonly Caveat[];
}

export interface ExplainedAnswer {
  readonly pair: AskedPair;
  /** For a question about one port. */
  readonly explained?: ExplainedFlow;
  /** For a question about all ports. */
  readonly ports?: readonly PortSet[];
}

export interface ExplainedFlow {
  readonly flow: Flow;
  readonly connection: ConnectionVerdict;
  readonly egress: WalkTrace;
  readonly ingress: WalkTrace;
}

export function explain(state: State, question: Question): Result<Explanation> {
  const found = candidatesFor(state, question);
  if (!found.ok) return found;
  const { candidates } = found.value;
  const evaluated = candidates.map((candidate) => evaluateCandidate(state, candidate, question.port));
  const verdict = overall(evaluated.flatMap((answer) => answer.verdicts));
  return ok({
    question,
    from: found.value.from.label,
    to: found.value.to.label,
    verdict,
    answers: distinct(evaluated).map((answer) => answer.explain()),
    caveats: mergedCaveats(
      connectionCaveats(state, candidates, verdict),
      evaluated.flatMap((answer) => answer.caveats),
    ),
  });
}

/** A denied connection stays denied, whatever a mesh or a node adds. */
function connectionCaveats(
  state: State,
  candidates: readonly Candidate[],
  verdict: OverallVerdict,
): readonly Caveat[] {
  if (verdict === "Deny") return state.caveats;
  return mergedCaveats(...candidates.map(({ pair }) => caveatsOf(state, pair)));
}

/** A candidate with its verdict; traces are made only of those that are shown. */
interface EvaluatedCandidate {
  readonly verdicts: readonly Verdict[];
  /** Equal for equal answers. */
  readonly key: string;
  readonly explain: () => ExplainedAnswer;
  /** What other implementations would answer (S9.8). */
  readonly caveats: readonly Caveat[];
}

function evaluateCandidate(
  state: State,
  { pair, port }: Candidate,
  asked: Question["port"],
): EvaluatedCandidate {
  if (port === undefined) {
    const ports = portSets(state, pair, asked.kind === "all" ? asked.protocol : undefined);
    const key = JSON.stringify(
      ports.map(({ protocol, ranges, verdict, connection }) => [
        protocol,
        ranges,
        verdict,
        conditionsOf(connection),
      ]),
    );
    const caveats = ports.flatMap(({ protocol, ranges: [first], verdict }) =>
      implementationCaveats(state, { ...pair, protocol, port: first?.[0] ?? 0 }, verdict),
    );
    return { verdicts: ports.map((set) => set.verdict), key, caveats, explain: () => ({ pair, ports }) };
  }
  const flow: Flow = { ...pair, ...port };
  const connection = evaluate(state.cluster, state.tiers, flow);
  // A question about a Service may mean several of its ports, and each has its own answer.
  const which = asked.kind === "all" ? ` ${port.port}/${port.protocol}` : "";
  const key = `${connection.verdict}${which} ${conditionsOf(connection).join()}`;
  return {
    verdicts: [connection.verdict],
    key,
    caveats: implementationCaveats(state, flow, connection.verdict),
    explain: () => ({ pair, explained: traceFlow(state, flow, connection) }),
  };
}

const conditionsOf = ({ egress, ingress }: ConnectionVerdict): readonly string[] =>
  [egress, ingress].flatMap((walk) => walk.decisions.flatMap((decision) => decision.conditions));

function traceFlow(state: State, flow: Flow, connection: ConnectionVerdict): ExplainedFlow {
  return {
    flow,
    connection,
    egress: traceWalk(state, "egress", flow, connection.egress),
    ingress: traceWalk(state, "ingress", flow, connection.ingress),
  };
}

/** One answer for each verdict; replicas and address families that agree are not repeated (S1.15). */
function distinct(answers: readonly EvaluatedCandidate[]): readonly EvaluatedCandidate[] {
  const seen = new Map<string, EvaluatedCandidate>();
  for (const answer of answers) if (!seen.has(answer.key)) seen.set(answer.key, answer);
  return [...seen.values()];
}
