import type { Explanation } from "@tierwall/core";
import { explain, type ExplainedFlow } from "@tierwall/core/analysis";
import type { State } from "@tierwall/core/state";
import { type ExplainAnswer, type ExplainRequest, explanationView, readQuestion } from "./explain.js";
import type { HeldState } from "../held-state.js";
import { workloadRefs } from "./workload-ref.js";

/** With its answer, so that it need not be asked as well. */
export interface FirstQuestion {
  readonly question: ExplainRequest;
  readonly answer: ExplainAnswer;
}

/**
 * A connection worth looking at, for a page without a question: best one that is denied although it nearly
 * was allowed. Undefined in a cluster without two workloads.
 */
export function answerFirstQuestion(
  { state }: HeldState,
  _request: Record<string, never>,
): FirstQuestion | undefined {
  let best:
    | { readonly request: ExplainRequest; readonly found: Explanation; readonly score: number }
    | undefined;
  for (const request of candidates(state)) {
    const question = readQuestion(request);
    const explained = question.ok ? explain(state, question.value) : question;
    if (!explained.ok) continue;
    const flow = explained.value.answers[0]?.explained;
    const score = flow === undefined ? 0 : interestOf(flow);
    if (best === undefined || score > best.score) best = { request, found: explained.value, score };
    if (score >= enough) break;
  }
  return (
    best && {
      question: best.request,
      answer: { kind: "explained", explanation: explanationView(best.found) },
    }
  );
}

/** Pairs are tried until one is interesting enough; a large cluster has many, and finding the best would take long. */
const enough = 9;

/** How many rules are walked over in search of it. */
const patience = 120_000;

/** Pairs of workloads on the ports that the destination declares, those of different namespaces first. */
function* candidates({ cluster, tiers }: State): Iterable<ExplainRequest> {
  const rules = [...tiers.egress, ...tiers.ingress].reduce((sum, tier) => sum + tier.rules.length, 1);
  let left = Math.max(12, Math.floor(patience / rules));
  const { workloads } = cluster;
  const refOf = workloadRefs(cluster);
  for (let step = 1; step < workloads.length; step++)
    for (const [i, destination] of workloads.entries()) {
      const source = workloads[(i + step) % workloads.length]!;
      if (source === destination || source.namespace === destination.namespace) continue;
      for (const { port, protocol } of destination.pods[0]?.ports.slice(0, 3) ?? []) {
        if (left-- <= 0) return;
        yield { from: refOf(source), to: refOf(destination), port: `${port}/${protocol}` };
      }
    }
  const [first, second] = workloads;
  if (first !== undefined && second !== undefined)
    yield { from: refOf(first), to: refOf(second), port: "80/TCP" };
}

/** Denied by one rule although another one allows it, and almost allowed. */
function interestOf({ connection, egress, ingress }: ExplainedFlow): number {
  const walks = [
    { walk: connection.egress, trace: egress },
    { walk: connection.ingress, trace: ingress },
  ];
  if (connection.verdict === "Undecided") return 3;
  const denier = walks.find(({ walk }) => walk.verdict === "Deny");
  const tiers = walks.reduce((sum, { trace }) => sum + trace.tiers.length, 0);
  if (denier === undefined) return Math.min(2, tiers / 2);
  const decided = denier.walk.decisions[0]?.by.kind === "rule" ? 3 : 1;
  const overridden = denier.trace.tiers.some(
    ({ outcome, rules }) =>
      outcome === "not-reached" &&
      rules.some(({ result, rule }) => result === "would-match" && rule.action === "Allow"),
  );
  const nearly =
    denier.trace.nearestAllow?.fails.length === 1 && denier.trace.nearestAllow.fails[0] === "port";
  return 2 + decided + (overridden ? 3 : 0) + (nearly ? 2 : 0) + Math.min(1, tiers / 4);
}
