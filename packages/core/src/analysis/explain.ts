import { ok, type Result } from "../diagnostics/result.js";
import { type ConnectionVerdict, evaluate } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import { candidatesFor, type OverallVerdict, overall, type Pair, type Question } from "./ask.js";
import { type PortSet, portSets } from "./port-sets.js";
import type { State } from "./state.js";
import { traceWalk, type WalkTrace } from "./trace.js";

/** Why a connection is allowed or denied. */
export interface Explanation {
  readonly question: Question;
  readonly from: string;
  readonly to: string;
  readonly verdict: OverallVerdict;
  /** One for each connection that the question means and that differs from the others; at least one. */
  readonly answers: readonly ExplainedAnswer[];
}

export interface ExplainedAnswer {
  readonly pair: Pair;
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
  const protocol = question.port.kind === "all" ? question.port.protocol : undefined;
  const answers = found.value.candidates.map(({ pair, port }): ExplainedAnswer => {
    if (port === undefined) return { pair, ports: portSets(state, pair, protocol) };
    const flow: Flow = { ...pair, ...port };
    return { pair, explained: explainFlow(state, flow) };
  });
  const verdicts = answers.flatMap(({ explained, ports }) =>
    explained ? [explained.connection.verdict] : ports!.map((set) => set.verdict),
  );
  return ok({
    question,
    from: found.value.from.label,
    to: found.value.to.label,
    verdict: overall(verdicts),
    answers: distinct(answers),
  });
}

export function explainFlow(state: State, flow: Flow): ExplainedFlow {
  const connection = evaluate(state.cluster, state.tiers, flow);
  return {
    flow,
    connection,
    egress: traceWalk(state, "egress", flow, connection.egress),
    ingress: traceWalk(state, "ingress", flow, connection.ingress),
  };
}

/** One answer for each verdict; replicas and address families that agree need not be told twice (S1.15). */
function distinct(answers: readonly ExplainedAnswer[]): readonly ExplainedAnswer[] {
  const seen = new Set<string>();
  return answers.filter((answer) => {
    const key = answer.explained
      ? answer.explained.connection.verdict
      : JSON.stringify(answer.ports!.map(({ protocol, ranges, verdict }) => [protocol, ranges, verdict]));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
