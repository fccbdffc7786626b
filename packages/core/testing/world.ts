import { ask } from "../src/analysis/explain/ask.js";
import { parseEndpoint, parseTarget } from "../src/analysis/endpoints/endpoint-ref.js";
import { readState, type State, type StateOptions } from "../src/state/state.js";
import type { Decision } from "../src/evaluate/walk.js";
import type { ConnectionVerdict, Verdict } from "../src/evaluate/evaluate.js";
import type { Result } from "../src/diagnostics/result.js";
import { formatPolicy } from "../src/policy/model.js";

/** A small cluster to ask questions of, for tests that read like the semantics. */
export interface World {
  readonly state: State;
  /** `a/client -> x/server:80/TCP` */
  readonly ask: (question: string) => Said;
  /** Only the verdict. */
  readonly verdict: (question: string) => Verdict | "Mixed";
}

export interface Said {
  readonly verdict: Verdict | "Mixed";
  /** The decider: for a denial that of the first direction that denied, else ingress unless only egress was decided by a policy. */
  readonly decidedBy: string;
  readonly egress: string;
  readonly ingress: string;
  readonly notes: readonly string[];
  readonly conditions: readonly string[];
  readonly missing: readonly string[];
}

export function world(yaml: string, options: StateOptions = {}): World {
  const state = readState([{ file: "test.yaml", text: yaml }], options);
  if (!state.usable)
    throw new Error(
      state.diagnostics
        .map((d) => `${d.code} ${d.place?.line ?? 0}:${d.place?.column ?? 0} ${d.message}`)
        .join("\n"),
    );
  const answer = (question: string): Said => {
    const [from, to] = question.split(" -> ");
    const target = must(parseTarget(to!));
    const asked = must(
      ask(state, { from: must(parseEndpoint(from!)), to: target.endpoint, port: target.port }),
    );
    return said(asked.verdict, asked.answers[0]!.connection);
  };
  return { state, ask: answer, verdict: (question) => answer(question).verdict };
}

/** `TW1204 3:5` for everything reported, in reading order. */
export function problemsIn(yaml: string, options: StateOptions = {}): readonly string[] {
  return readState([{ file: "test.yaml", text: yaml }], options).diagnostics.map((d) =>
    d.place === undefined ? d.code : `${d.code} ${d.place.line}:${d.place.column}`,
  );
}

function said(verdict: Said["verdict"], { egress, ingress }: ConnectionVerdict): Said {
  const [out, in_] = [
    egress.decisions.map(formatDecider).join(" or "),
    ingress.decisions.map(formatDecider).join(" or "),
  ];
  const denier = egress.verdict !== "Allow" ? out : ingress.verdict !== "Allow" ? in_ : undefined;
  const policyDecided = (text: string) => text !== "default" && text !== "no-walk";
  return {
    verdict,
    decidedBy: denier ?? (policyDecided(in_) ? in_ : policyDecided(out) ? out : "default"),
    egress: out,
    ingress: in_,
    notes: [...egress.notes, ...ingress.notes],
    conditions: [...egress.decisions, ...ingress.decisions].flatMap((decision) => decision.conditions),
    missing: [...egress.missing, ...ingress.missing].map((fact) => fact.text),
  };
}

/** `ClusterNetworkPolicy guard`, `isolation by NetworkPolicy x/np`, `default`. */
function formatDecider({ by }: Decision): string {
  if (by.kind === "rule") return formatPolicy(by.rule.origin.policy);
  if (by.kind === "isolation")
    return `isolation by ${by.isolation.map(({ origin }) => (origin.kind === "policy" ? formatPolicy(origin.policy) : origin.option)).join(", ")}`;
  return by.kind;
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.diagnostic.code} ${result.diagnostic.message}`);
  return result.value;
}
