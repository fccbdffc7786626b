import { grouped } from "../../collections/maps.js";
import type { AskedPair } from "../../analysis/explain/ask.js";
import type { ExplainedFlow, Explanation } from "../../analysis/explain/explain.js";
import type { PortSet } from "../../analysis/explain/port-verdicts.js";
import type { RuleTrace, TierTrace, WalkTrace } from "../../analysis/explain/trace.js";
import type { Place } from "../../diagnostics/place.js";
import type { WalkVerdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Decision } from "../../evaluate/walk.js";
import { formatAddress } from "../../net/address.js";
import { actionOf } from "../../policy/describe.js";
import type { Direction, Isolation, PolicyRef, Rule, TierName } from "../../policy/model.js";

/*
 * The stable, versioned JSON of an explanation. Fields are only ever added within a version.
 */

export const apiVersion = "tierwall.dev/v1";

/** What `JSON.stringify` writes; undefined is left out. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonFields = Extract<JsonValue, { readonly [key: string]: unknown }>;

export function explanationJson(explanation: Explanation): JsonValue {
  const answers = explanation.answers.map(({ pair, explained, ports }) =>
    explained === undefined
      ? {
          flow: flowJson(pair),
          ports: ports!.map(portSetJson),
        }
      : explainedJson(explained),
  );
  return {
    apiVersion,
    kind: "Explanation",
    flow: answers[0]?.flow,
    ...answers[0],
    // The first answer is not the whole answer where several differ.
    verdict: explanation.verdict,
    ...(answers.length > 1 ? { answers } : {}),
    caveats: explanation.caveats.map((caveat) => ({ ...caveat })),
  };
}

/** A connection, or a pair of which all ports are meant. */
export function flowJson(flow: AskedPair & Partial<Flow>): JsonValue {
  return {
    from: endpointJson(flow.source),
    to: endpointJson(flow.destination),
    protocol: flow.protocol,
    port: flow.protocol === "ICMP" ? undefined : flow.port,
    family: flow.family === undefined ? undefined : `IPv${flow.family}`,
  };
}

function explainedJson({ flow, connection, egress, ingress }: ExplainedFlow): JsonFields {
  return {
    flow: flowJson(flow),
    verdict: connection.verdict,
    egress: walkJson("egress", connection.egress, egress),
    ingress: walkJson("ingress", connection.ingress, ingress),
  };
}

function portSetJson({ protocol, ranges, verdict, connection }: PortSet): JsonValue {
  return {
    protocol,
    ports: protocol === "ICMP" ? undefined : portRanges(ranges),
    verdict,
    egress: walkJson("egress", connection.egress),
    ingress: walkJson("ingress", connection.ingress),
  };
}

/** `1-79,81-65535`, or `all`. */
export function portRanges(ranges: PortSet["ranges"]): string {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1 && only[0] === 1 && only[1] === 65535) return "all";
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function walkJson(direction: Direction, walk: WalkVerdict, trace?: WalkTrace): JsonValue {
  const conditions = walk.decisions.flatMap((decision) => decision.conditions);
  const possible = walk.decisions.map((decision) => ({
    verdict: decision.verdict,
    decidedBy: deciderJson(direction, decision),
  }));
  const isOpen = walk.verdict === "Undecided";
  const nearest = trace?.nearestAllow;
  return {
    verdict: walk.verdict,
    decidedBy: isOpen ? null : possible[0]!.decidedBy,
    missing: isOpen ? walk.missing.map((fact) => fact.text) : undefined,
    possible: isOpen ? possible : undefined,
    conditions: unlessEmpty(conditions),
    notes: unlessEmpty(walk.notes),
    trace: trace?.tiers.map(tierJson),
    nearestAllow: nearest && {
      ...ruleJson(nearest.rule, nearest.tier),
      fails: nearest.fails,
      why: nearest.why,
    },
  };
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined =>
  list.length === 0 ? undefined : list;

/** The deciding rule; or `isolation` with every policy that isolates; or `default`, with the reason where it is special. */
export function deciderJson(direction: Direction, { by }: Pick<Decision, "by">): JsonValue {
  switch (by.kind) {
    case "rule":
      return { type: "rule", ...ruleJson(by.rule, by.tier) };
    case "isolation":
      return {
        type: "isolation",
        tier: by.tier,
        direction,
        isolation: by.isolation.map(isolatorJson),
      };
    case "default":
      return { type: "default", direction };
    case "no-walk":
      return { type: "default", direction, reason: "no policies apply to this endpoint" };
    case "own-address":
      return { type: "default", direction, reason: "a pod always reaches itself" };
    case "own-node":
      return { type: "default", direction, reason: "a node always reaches its own pods" };
  }
}

export function ruleJson(rule: Rule, tier: TierName): JsonFields {
  const { origin } = rule;
  return {
    ...policyJson(origin.policy),
    direction: origin.direction,
    ruleIndex: origin.index,
    ruleName: origin.name,
    implementation: origin.implementation,
    rulePath: origin.path,
    action: actionOf(rule),
    tier,
    ...placeJson(origin.place()),
  };
}

export function policyJson(policy: PolicyRef): JsonFields {
  return {
    group: policy.group,
    version: policy.version,
    kind: policy.kind,
    namespace: policy.namespace,
    name: policy.name,
    ...placeJson(policy.place()),
  };
}

export const placeJson = (place: Place | undefined): JsonFields => ({ file: place?.file, line: place?.line });

/** The policy that isolates, or the option. */
export const isolatorJson = ({ origin }: Isolation): JsonValue =>
  origin.kind === "policy" ? policyJson(origin.policy) : { option: origin.option };

function tierJson({ tier, outcome, rules, isolation }: TierTrace): JsonValue {
  return {
    tier,
    outcome,
    // In the order in which their rules come; `order` is that of the rules within the tier.
    policies: Array.from(
      grouped(rules.entries(), ([, { rule }]) => rule.origin.policy),
      ([policy, its]) => ({
        ...policyJson(policy),
        rules: its.map(([order, trace]) => ruleTraceJson(trace, order)),
      }),
    ),
    isolatedBy: isolation.map(isolatorJson),
  };
}

function ruleTraceJson({ rule, result, fails, why }: RuleTrace, order: number): JsonValue {
  const { index, name, path, direction } = rule.origin;
  return {
    order,
    direction,
    ruleIndex: index,
    ruleName: name,
    rulePath: path,
    action: actionOf(rule),
    result,
    fails: unlessEmpty(fails),
    why,
    ...placeJson(rule.origin.place()),
  };
}

export function endpointJson(endpoint: Endpoint): JsonValue {
  switch (endpoint.kind) {
    case "pod": {
      const { pod } = endpoint;
      return {
        kind: "pod",
        namespace: pod.namespace,
        name: pod.name,
        workload: pod.workload === undefined ? undefined : `${pod.workload.kind}/${pod.workload.name}`,
        addresses: unlessEmpty(pod.addresses.map(formatAddress)),
        hostNetwork: pod.hostNetwork ? true : undefined,
      };
    }
    case "node":
      return {
        kind: "node",
        name: endpoint.node.name,
        addresses: (endpoint.address === undefined ? endpoint.node.addresses : [endpoint.address]).map(
          formatAddress,
        ),
      };
    case "external":
      return { kind: "external", address: formatAddress(endpoint.address) };
  }
}
