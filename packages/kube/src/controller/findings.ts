import {
  affected,
  listed,
  onlyRepeats,
  type OrderConflict,
  type Override,
  type Proofs,
  type RuleProof,
  deciderName,
  shownProof,
} from "@tierwall/core/analysis";
import {
  type Endpoint,
  type Flow,
  formatEndpoint,
  formatPolicy,
  formatRule,
  type Isolation,
  type PolicyRef,
  type Rule,
} from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import { exampleMark, type Statement } from "./condition.js";

/**
 * What the engine proves about policies, in the words of conditions and events. Accounts that read policies of the cluster, or events of a
 * namespace, need not be able to read anything else: a condition of a policy of the cluster names no object of a namespace, and an event
 * in a namespace none of another.
 */
export interface Findings {
  readonly Conflicted: ReadonlyMap<PolicyRef, Statement>;
  readonly Shadowed: ReadonlyMap<PolicyRef, Statement>;
  readonly overridden: readonly Overridden[];
}

/** A policy of a namespace, and one of the cluster some of whose rules decide otherwise. */
export interface Overridden {
  readonly policy: PolicyRef;
  readonly by: PolicyRef;
  /** To be asked for before the engine takes the next update. */
  readonly note: () => string;
}

/** To be called before the engine takes the next update: examples are looked for here. */
export function findingsFrom(proofs: Proofs): Findings {
  return {
    Conflicted: conflictedIn(proofs.orderConflicts),
    Shadowed: shadowedIn(proofs.ofRules),
    overridden: proofs.overrides.flatMap(overriddenIn),
  };
}

/** For policies that are in none of the maps. */
export const nothingFound: Readonly<Record<"Conflicted" | "Shadowed", Statement>> = {
  Conflicted: {
    type: "Conflicted",
    status: "False",
    reason: "NoConflict",
    message: "no policy of the same priority decides anything differently",
  },
  Shadowed: {
    type: "Shadowed",
    status: "False",
    reason: "NoShadow",
    message: "none of its rules is shadowed by earlier rules",
  },
};

/** S1.13 */
function conflictedIn(conflicts: readonly OrderConflict[]): ReadonlyMap<PolicyRef, Statement> {
  const found = new Map<PolicyRef, OrderConflict[]>();
  for (const conflict of conflicts)
    for (const policy of [conflict.first, conflict.second])
      getOrInsert(found, policy, () => []).push(conflict);
  return new Map([...found].map(([policy, own]) => [policy, conflictedBy(policy, own)]));
}

function conflictedBy(policy: PolicyRef, conflicts: readonly OrderConflict[]): Statement {
  const { first, second, direction, shared, example } = conflicts[0]!;
  const others = conflicts.map((one) => (one.first === policy ? one.second : one.first));
  const { flow, asOrdered, swapped } = example();
  const [verb, each] = others.length === 1 ? ["disagrees", ""] : ["disagree", " each"];
  const priority = policy.priority === undefined ? "its precedence" : `priority ${policy.priority}`;
  return {
    type: "Conflicted",
    status: "True",
    reason: "SamePriority",
    message:
      `${priority} of tier ${shared.tier} is shared with ${listed(others.map(formatPolicy))}, which ${verb}${each}: ` +
      `${formatPolicy(first)} comes first, by its ${first.dialect === second.dialect ? "name" : "API"}${exampleMark}` +
      `${direction} of ${portText(flow)} is ${verdictText[asOrdered.verdict]}, and would be ` +
      `${verdictText[swapped.verdict]} with ${formatPolicy(second)} first`,
  };
}

const verdictText = { Allow: "allowed", Deny: "denied", Undecided: "undecided" } as const;

/** More are counted. */
const mostRules = 5;

function shadowedIn(proofs: readonly RuleProof[]): ReadonlyMap<PolicyRef, Statement> {
  const found = new Map<PolicyRef, string[]>();
  for (const proof of proofs) {
    const text = shadowText(proof);
    if (text !== undefined) getOrInsert(found, proof.rule.origin.policy, () => []).push(text);
  }
  return new Map([...found].map(([policy, texts]) => [policy, shadowedBy(texts)]));
}

function shadowedBy(texts: readonly string[]): Statement {
  const rest = texts.length - mostRules;
  const more = rest > 0 ? [`and ${rest} more rules`] : [];
  return {
    type: "Shadowed",
    status: "True",
    reason: "RulesNeverDecide",
    message: [...texts.slice(0, mostRules), ...more].join("; "),
  };
}

function shadowText(proof: RuleProof): string | undefined {
  const { kind, by: takers, inEveryCluster } = shownProof(proof);
  if (kind === "redundant" || onlyRepeats(proof)) return undefined;
  const { rule } = proof;
  const where = inEveryCluster ? "in any cluster" : "in this cluster";
  const decide = takers.length === 1 && namespaceOf(takers[0]!) === undefined ? "decides" : "decide";
  return `${rule.origin.path}${nameText(rule)} never decides anything ${where}: ${takersText(takers)} ${decide} all that it matches before it`;
}

/** Policies of the cluster by name; those of namespaces are counted. */
function takersText(takers: readonly (Rule | Isolation)[]): string {
  const own = takers.filter((taker) => namespaceOf(taker) === undefined);
  const others = new Set(takers.flatMap((taker) => namespaceOf(taker) ?? []));
  const counted = others.size === 1 ? "policies of a namespace" : `policies of ${others.size} namespaces`;
  return listed([...own.map(deciderName), ...(others.size === 0 ? [] : [counted])]);
}

function namespaceOf({ origin }: Rule | Isolation): string | undefined {
  return "policy" in origin ? origin.policy.namespace : undefined;
}

const nameText = ({ origin }: Rule): string => (origin.name === undefined ? "" : ` "${origin.name}"`);

/** One for each policy of the cluster that has a part in it. */
function overriddenIn({ policy, direction, intent, by }: Override): readonly Overridden[] {
  const firsts = new Map<PolicyRef, Override["by"][number]>();
  for (const one of by) getOrInsert(firsts, one.rule.origin.policy, () => one);
  return [...firsts].map(([other, { rule, example, ...much }]) => ({
    policy,
    by: other,
    note: () =>
      `${formatRule(rule.origin)} ${rule.action === "Allow" ? "allows" : "denies"} ${direction} that this policy ` +
      `${intent === "isolates" ? "isolates from" : intent}: ${affected(much)}${exampleMark}` +
      connectionText(example(), policy.namespace),
  }));
}

/** For a reader of one namespace: pods of other namespaces, and their ports, are not named. */
function connectionText(flow: Flow, namespace: string | undefined): string {
  const isOwn = (end: Endpoint) =>
    end.kind === "external" || (end.kind === "pod" && end.pod.namespace === namespace);
  const named = (end: Endpoint) =>
    isOwn(end) ? endText(end) : end.kind === "pod" ? "a pod of another namespace" : "a node";
  const port = isOwn(flow.destination) ? ` ${portText(flow)}` : "";
  return `${named(flow.source)} → ${named(flow.destination)}${port}`;
}

/** Pods by the names of their workloads, which stay when pods are replaced. */
const endText = (end: Endpoint): string =>
  formatEndpoint(
    end.kind === "pod" && end.pod.workload !== undefined
      ? { ...end, pod: { ...end.pod, name: end.pod.workload.name } }
      : end,
  );

const portText = ({ protocol, port, family }: Flow): string =>
  `${protocol === "ICMP" ? "ICMP" : `:${port}/${protocol}`}${family === 6 ? " over IPv6" : ""}`;
