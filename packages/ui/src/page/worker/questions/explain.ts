import type { Explanation, OverallVerdict, Question, Result, Verdict } from "@tierwall/core";
import {
  explain,
  type ExplainedAnswer,
  type ExplainedFlow,
  formatPortRef,
  parseEndpoint,
  parsePort,
  type RuleTrace,
  type TierTrace,
  type WalkTrace,
} from "@tierwall/core/analysis";
import { formatEndpoint, type TierName, type WalkVerdict } from "@tierwall/core/model";
import { type PortRow, portRows } from "@tierwall/core/report";
import type { HeldState } from "../held-state.js";
import { type PolicyView, policyView, type RuleView, ruleView } from "./policy-view.js";

/** A question as in the address bar. Without a port it is about all ports. */
export interface ExplainRequest {
  readonly from: string;
  readonly to: string;
  readonly port: string;
}

export type ExplainAnswer =
  | { readonly kind: "explained"; readonly explanation: ExplanationView }
  /** The question cannot be understood, or is about an endpoint that does not exist. */
  | { readonly kind: "refused"; readonly message: string; readonly hint?: string };

export interface ExplanationView {
  readonly from: string;
  readonly to: string;
  /** `:8443/TCP`. */
  readonly port: string;
  readonly verdict: OverallVerdict;
  /** What the verdict does not take into account. */
  readonly caveats: readonly string[];
  /** Those that the question means and that differ; at least one. */
  readonly connections: readonly ConnectionView[];
}

export interface ConnectionView {
  readonly source: string;
  readonly destination: string;
  readonly family?: 4 | 6;
  readonly verdict: OverallVerdict;
  readonly answer:
    | {
        readonly kind: "walks";
        readonly port: string;
        readonly egress: WalkView;
        readonly ingress: WalkView;
        readonly nearest?: NearestView;
      }
    | { readonly kind: "ports"; readonly rows: readonly PortRow[] };
}

/** The rule that came nearest to allowing what was denied. */
export interface NearestView {
  readonly rule: RuleView;
  readonly fails: readonly ("peer" | "port")[];
  readonly why: string;
}

export interface WalkView {
  readonly direction: "egress" | "ingress";
  readonly end: string;
  readonly verdict: Verdict;
  /** Why nothing is walked at this end. */
  readonly special?: string;
  readonly steps: readonly StepView[];
  /** Whether no rule matched, and the default allows. */
  readonly byDefault: boolean;
  readonly conditions: readonly string[];
  readonly missing: readonly string[];
  readonly notes: readonly string[];
}

export interface StepView {
  readonly tier: TierName;
  readonly outcome: TierTrace["outcome"];
  readonly rules: readonly RuleStep[];
  readonly isolators: readonly Isolator[];
}

export interface RuleStep {
  readonly rule: RuleView;
  readonly result: RuleTrace["result"];
  readonly why?: string;
}

export type Isolator =
  | { readonly kind: "policy"; readonly policy: PolicyView }
  | { readonly kind: "option"; readonly option: string };

export function answerExplain({ state }: HeldState, request: ExplainRequest): ExplainAnswer {
  const question = readQuestion(request);
  const explained = question.ok ? explain(state, question.value) : question;
  if (explained.ok) return { kind: "explained", explanation: explanationView(explained.value) };
  const { message, hint } = explained.diagnostic;
  return { kind: "refused", message, ...(hint === undefined ? {} : { hint }) };
}

export function readQuestion({ from, to, port }: ExplainRequest): Result<Question> {
  const source = parseEndpoint(from.trim());
  if (!source.ok) return source;
  const destination = parseEndpoint(to.trim());
  if (!destination.ok) return destination;
  const asked = port.trim() === "" ? ({ ok: true, value: { kind: "all" } } as const) : parsePort(port.trim());
  return asked.ok
    ? { ok: true, value: { from: source.value, to: destination.value, port: asked.value } }
    : asked;
}

export function explanationView(explanation: Explanation): ExplanationView {
  const { from, to, question, verdict, answers } = explanation;
  // Of a Service, all ports are those that it maps.
  const ofService = question.port.kind === "all" && answers.some(({ explained }) => explained !== undefined);
  const port = ofService ? "on each of its ports" : formatPortRef(question.port).trim();
  const caveats = explanation.caveats.map(({ text }) => text);
  return { from, to, port, verdict, caveats, connections: answers.map(connectionView) };
}

function connectionView({ pair, explained, ports }: ExplainedAnswer): ConnectionView {
  const ends = {
    source: formatEndpoint(pair.source),
    destination: formatEndpoint(pair.destination),
    ...(pair.family === undefined ? {} : { family: pair.family }),
  };
  if (explained !== undefined)
    return {
      ...ends,
      verdict: explained.connection.verdict,
      answer: { kind: "walks", ...walksView(explained) },
    };
  const verdicts = new Set(ports?.map((set) => set.verdict));
  const [only = "Mixed"] = verdicts.size === 1 ? verdicts : [];
  return { ...ends, verdict: only, answer: { kind: "ports", rows: portRows(ports ?? []) } };
}

function walksView({ flow, connection, egress, ingress }: ExplainedFlow) {
  const denied = [
    { walk: connection.egress, trace: egress },
    { walk: connection.ingress, trace: ingress },
  ].find(({ walk }) => walk.verdict === "Deny");
  const nearest = denied?.trace.nearestAllow;
  return {
    port: flow.protocol === "ICMP" ? "ICMP" : `:${flow.port}/${flow.protocol}`,
    egress: walkView(connection.egress, egress),
    ingress: walkView(connection.ingress, ingress),
    ...(nearest === undefined
      ? {}
      : { nearest: { rule: ruleView(nearest.rule), fails: nearest.fails, why: nearest.why } }),
  };
}

function walkView(walk: WalkVerdict, { direction, end, tiers }: WalkTrace): WalkView {
  const special = specialReason(walk);
  return {
    direction,
    end: formatEndpoint(end),
    verdict: walk.verdict,
    ...(special === undefined ? {} : { special }),
    steps: tiers.map(stepView),
    byDefault: special === undefined && walk.decisions.every(({ by }) => by.kind === "default"),
    conditions: [...new Set(walk.decisions.flatMap(({ conditions }) => conditions))],
    missing: walk.missing.map(({ text }) => text),
    notes: walk.notes,
  };
}

function specialReason({ decisions: [decision] }: WalkVerdict): string | undefined {
  switch (decision?.by.kind) {
    case "no-walk":
      return "No policies apply to this endpoint: it is not a pod with its own network.";
    case "own-address":
      return "A pod always reaches itself.";
    case "own-node":
      return "A node always reaches the pods that run on it.";
    case "rule":
    case "isolation":
    case "default":
    case undefined:
      return undefined;
  }
}

function stepView({ tier, outcome, rules, isolation }: TierTrace): StepView {
  return {
    tier,
    outcome,
    rules: rules.map(({ rule, result, why }) => ({
      rule: ruleView(rule),
      result,
      ...(why === undefined ? {} : { why }),
    })),
    isolators: isolation.map(({ origin }) =>
      origin.kind === "policy"
        ? { kind: "policy", policy: policyView(origin.policy) }
        : { kind: "option", option: origin.option },
    ),
  };
}
