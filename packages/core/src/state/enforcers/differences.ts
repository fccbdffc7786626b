import { child, items } from "../../cluster/fields.js";
import { identitiesFor, namespaceLabelPrefix } from "../../dialects/cilium/identity-selector.js";
import type { LowerOptions } from "../../dialects/dialect.js";
import { readPolicy } from "../../dialects/read.js";
import { policyKindOf } from "../../dialects/registry.js";
import { type LabelMatch, namespaceNameLabel, type Requirement, selects } from "../../labels/requirement.js";
import { isObject, type JsonObject, valueAt } from "../../manifest/document.js";
import { type Lowered, type PlacedIsolation, type PlacedRule, ranks } from "../../policy/assemble.js";
import {
  type DialectId,
  type Direction,
  directions,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  type PolicyRef,
  type Rule,
} from "../../policy/model.js";
import type { PolicyDefinition } from "../policy-definition.js";

/*
 * Where implementations read the specifications differently. A difference is data (which statement, which implementation,
 * what it does instead) and a change of what one policy means, so that every consumer of the model can answer as that
 * implementation would. `npm run test:oracles` compares the result with the implementations themselves.
 */

/** An implementation: the version that was examined, and the policy APIs that it enforces. */
export interface Enforcer {
  readonly title: string;
  readonly enforces: readonly DialectId[];
}

/** The implementations whose differences from docs/semantics.md are known (S9.8). */
export const enforcerNames = ["cilium", "cilium-1.18", "kube-network-policies"] as const;
/** An implementation of network policy, as `enforcer` and `--enforcer` name it. */
export type EnforcerName = (typeof enforcerNames)[number];

export const enforcers: Readonly<Record<EnforcerName, Enforcer>> = {
  cilium: { title: "Cilium 1.20", enforces: ["network-policy", "cluster-network-policy", "cilium"] },
  "cilium-1.18": { title: "Cilium 1.18", enforces: ["network-policy", "cilium"] },
  "kube-network-policies": {
    title: "kube-network-policies",
    enforces: ["network-policy", "cluster-network-policy", "admin-network-policy"],
  },
};

export interface EnforcerDifference {
  /** The statement of docs/semantics.md that is read differently. */
  readonly statement: string;
  readonly enforcers: readonly EnforcerName[];
  /** What the implementation does instead; the end of a sentence that begins with its name. */
  readonly instead: string;
  /** What a policy means there. Absent where the difference is not one of policies, and is only documented. */
  readonly apply?: (definition: PolicyDefinition, options: LowerOptions) => Lowered;
  /** Of a difference that is only documented: whether it may affect a policy. Answers then have a caveat. */
  readonly concerns?: (definition: PolicyDefinition) => boolean;
}

const pastBaseline =
  "evaluates the baseline tier only for pods that no NetworkPolicy selects in either direction";
const pastOwnNode = "does not evaluate connections from a pod to the node that it runs on";

/** In the order in which they are applied. */
export const differences: readonly EnforcerDifference[] = [
  {
    statement: "S7.13",
    enforcers: ["cilium", "cilium-1.18"],
    instead:
      "labels an external address `reserved:world` where it serves one IP family, and only `reserved:world-ipv4` or `reserved:world-ipv6` where it serves both",
    apply: (definition, options) =>
      definition.policy.dialect === "cilium" ? readAgain(definition, options) : definition.lowered,
  },
  {
    statement: "S2.1",
    enforcers: ["cilium", "cilium-1.18"],
    instead: "also enforces the section of a NetworkPolicy that `policyTypes` does not list, if it has rules",
    apply: enforcingUnlistedSections,
  },
  {
    statement: "S1.2",
    enforcers: ["cilium"],
    instead: "evaluates the baseline tier before the isolation by NetworkPolicies and Cilium policies",
    apply: isolatingLast,
  },
  {
    statement: "S2.3",
    enforcers: ["cilium", "cilium-1.18"],
    instead: "matches `ipBlock` and `networks` with external addresses only, never with pods or nodes",
    apply: changingPeers((peer) => [peer.kind === "networks" ? { ...peer, reach: "external" } : peer]),
  },
  {
    statement: "S3.4",
    enforcers: ["cilium"],
    instead:
      "matches `namespaces` of a ClusterNetworkPolicy that only excludes labels (`NotIn`, `DoesNotExist`) with nodes and external addresses as well",
    apply: ({ object, policy, lowered }) =>
      policy.dialect !== "cluster-network-policy"
        ? lowered
        : mapRules(lowered, (rule) =>
            writtenPeers(object.value, rule).some(onlyExcludesNamespaces)
              ? { ...rule, peers: [...rule.peers, ...nonPods] }
              : rule,
          ),
  },
  {
    statement: "S7.4",
    enforcers: ["cilium-1.18"],
    instead:
      "matches `fromEndpoints` and `toEndpoints` that only exclude labels of a namespace with nodes and external addresses as well",
    apply: ({ policy, lowered }) =>
      policy.dialect !== "cilium"
        ? lowered
        : mapRules(lowered, (rule) =>
            rule.peers.some(excludesNamespaces) ? { ...rule, peers: [...rule.peers, ...nonPods] } : rule,
          ),
  },
  {
    statement: "S7.15",
    enforcers: ["cilium", "cilium-1.18"],
    instead:
      "selects pods by the labels of their identities only, also in NetworkPolicies and ClusterNetworkPolicies",
    apply: selectingIdentities,
  },
  {
    statement: "S1.8",
    enforcers: ["cilium", "cilium-1.18"],
    instead: "keeps one port for each port name of a pod, whichever it reads last",
  },
  {
    statement: "S1.3",
    enforcers: ["kube-network-policies"],
    instead: pastBaseline,
    apply: decidingOtherDirection,
  },
  {
    statement: "S1.6",
    enforcers: ["kube-network-policies"],
    instead: pastOwnNode,
    apply: reachingOwnNode,
  },
  {
    statement: "S1.6",
    enforcers: ["kube-network-policies"],
    instead: "exempts only processes of root from evaluation when a node connects to its own pods",
  },
  {
    statement: "S3.4",
    enforcers: ["kube-network-policies"],
    instead: "matches `nodes` with the pods that run on these nodes, and never with the nodes' own addresses",
    concerns: ({ lowered }) =>
      lowered.rules.some(({ rule }) => rule.peers.some(({ kind }) => kind === "nodes")),
  },
];

export const differencesOf = (enforcer: EnforcerName): readonly EnforcerDifference[] =>
  differences.filter((difference) => difference.enforcers.includes(enforcer));

/** What these policies mean in an implementation; those of APIs that it does not enforce are ignored. */
export function enforcedAs(
  definitions: readonly PolicyDefinition[],
  enforcer: EnforcerName,
  options: LowerOptions,
  among: readonly EnforcerDifference[] = differencesOf(enforcer),
): readonly Lowered[] {
  const changes = among.flatMap(({ apply }) => apply ?? []);
  return definitions
    .filter(({ policy }) => enforcers[enforcer].enforces.includes(policy.dialect))
    .map(
      (definition) =>
        changes.reduce((changed, apply) => ({ ...changed, lowered: apply(changed, options) }), definition)
          .lowered,
    );
}

/** A rule that represents what kube-network-policies does, not a rule of the policy. */
function allowing(
  subject: PodSelection,
  peer: Peer,
  policy: PolicyRef,
  direction: Direction,
  does: string,
): Rule {
  const implementation = `${enforcers["kube-network-policies"].title}, which ${does}`;
  const origin = { policy, direction, index: 0, path: "spec", place: policy.place, implementation };
  return { subject, peers: [peer], ports: "every", action: "Allow", origin };
}

function mapRules({ rules, isolation }: Lowered, change: (rule: Rule) => Rule): Lowered {
  return { rules: rules.map((placed): PlacedRule => ({ ...placed, rule: change(placed.rule) })), isolation };
}

function changingPeers(change: (peer: Peer) => readonly Peer[]): NonNullable<EnforcerDifference["apply"]> {
  return ({ lowered }) => mapRules(lowered, (rule) => ({ ...rule, peers: rule.peers.flatMap(change) }));
}

/** As if `policyTypes` listed every section that has rules. */
function enforcingUnlistedSections({ object, policy, lowered }: PolicyDefinition): Lowered {
  const spec = child(object.value, "spec");
  const given: readonly unknown[] = Array.isArray(spec.policyTypes) ? spec.policyTypes : [];
  if (policy.dialect !== "network-policy" || given.length === 0) return lowered;
  const hasRules = (section: string) => Array.isArray(spec[section]) && spec[section].length > 0;
  const policyTypes = ["Ingress", "Egress"].filter(
    (type) => given.includes(type) || hasRules(type.toLowerCase()),
  );
  if (policyTypes.length === given.length) return lowered;
  const listed = { ...object, value: { ...object.value, spec: { ...spec, policyTypes } } };
  return readAgain({ object: listed, policy, lowered });
}

/** What a policy means with other options, or in another form. */
function readAgain({ object, lowered }: PolicyDefinition, options?: LowerOptions): Lowered {
  const kind = policyKindOf(object);
  if (kind === undefined || "code" in kind) return lowered;
  return readPolicy(kind, object, "cluster", options).lowered ?? lowered;
}

/** Isolation moves after the baseline. A Pass in the baseline does not skip it there. */
function isolatingLast({ lowered: { rules, isolation } }: PolicyDefinition): Lowered {
  const moved = isolation.map((entry): PlacedIsolation => {
    return entry.tier === "network-policy" ? { ...entry, tier: "cluster-default" } : entry;
  });
  return { rules, isolation: moved };
}

/** An endpoint without a namespace has no namespace labels either. */
const nonPods: readonly Peer[] = (["world", "host", "remote-node"] as const).map((entity) => ({
  kind: "entity",
  entity,
}));

/** The peers of a rule as they are written. */
function writtenPeers(object: JsonObject, { origin: { direction, index } }: Rule): readonly JsonObject[] {
  const rule = valueAt(object, ["spec", direction, index]);
  return isObject(rule) ? items(rule, direction === "ingress" ? "from" : "to") : [];
}

function onlyExcludesNamespaces({ namespaces }: JsonObject): boolean {
  if (!isObject(namespaces)) return false;
  const { matchLabels, matchExpressions } = namespaces;
  const labels = isObject(matchLabels) ? Object.keys(matchLabels) : [];
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isObject) : [];
  return labels.length === 0 && expressions.length > 0 && expressions.every(excludes);
}

const excludes = ({ operator }: { readonly operator?: unknown }): boolean =>
  operator === "NotIn" || operator === "DoesNotExist";

const excludesNamespaces = (peer: Peer): boolean =>
  peer.kind === "pods" &&
  peer.namespaces.kind === "selector" &&
  peer.pods.kind === "selector" &&
  peer.account === undefined &&
  peer.namespaces.match.length > 0 &&
  [...peer.namespaces.match, ...peer.pods.match].every(excludes);

/** A pod that a NetworkPolicy selects for one direction never reaches the baseline in the other: it is allowed there. */
function decidingOtherDirection({ policy, lowered: { rules, isolation } }: PolicyDefinition): Lowered {
  if (policy.dialect !== "network-policy") return { rules, isolation };
  const others = directions.filter((direction) => !isolation.some((entry) => entry.direction === direction));
  // First in the baseline: another NetworkPolicy that isolates the pod in that direction still decides before it.
  const added = isolation.flatMap(({ subject }) =>
    others.map((direction): PlacedRule => {
      const rule = allowing(subject, { kind: "everything" }, policy, direction, pastBaseline);
      return { tier: "baseline", rank: ranks.only - 1, precedence: 0, rule };
    }),
  );
  return { rules: [...rules, ...added], isolation };
}

/** Packets to the pod's own node never pass the hook in which this implementation evaluates. */
function reachingOwnNode({ policy, lowered: { rules, isolation } }: PolicyDefinition): Lowered {
  const subjects = new Set([
    ...rules.filter(({ rule }) => rule.origin.direction === "egress").map(({ rule }) => rule.subject),
    ...isolation.filter(({ direction }) => direction === "egress").map(({ subject }) => subject),
  ]);
  const added = Array.from(subjects, (subject): PlacedRule => {
    const rule = allowing(subject, { kind: "entity", entity: "host" }, policy, "egress", pastOwnNode);
    return { tier: "admin", rank: ranks.only - 1, precedence: 0, rule };
  });
  return { rules: [...rules, ...added], isolation };
}

/** S7.15: a label that is not part of an identity is absent. */
function selectingIdentities({ policy, lowered }: PolicyDefinition, options: LowerOptions): Lowered {
  if (policy.dialect === "cilium") return lowered;
  const { labels } = identitiesFor(options);
  const ofPods = (match: LabelMatch): LabelMatch => withoutLabels(match, (key) => labels.has(key));
  const ofNamespaces = (match: LabelMatch): LabelMatch =>
    withoutLabels(match, (key) => key === namespaceNameLabel || labels.has(namespaceLabelPrefix + key));
  const narrowed = (selection: PodSelection): PodSelection => ({
    ...selection,
    namespaces: ofNamespaces(selection.namespaces),
    pods: ofPods(selection.pods),
  });
  const changed = mapRules(lowered, (rule) => ({
    ...rule,
    subject: narrowed(rule.subject),
    peers: rule.peers.map((peer) =>
      peer.kind === "pods"
        ? {
            ...peer,
            namespaces: changedSet(peer.namespaces, ofNamespaces),
            pods: changedSet(peer.pods, ofPods),
          }
        : peer,
    ),
  }));
  return {
    ...changed,
    isolation: lowered.isolation.map((entry) => ({ ...entry, subject: narrowed(entry.subject) })),
  };
}

const changedSet = <T extends NamespaceSet>(set: T, change: (match: LabelMatch) => LabelMatch): T =>
  set.kind === "selector" ? { ...set, match: change(set.match) } : set;

/** The same selection for objects that have only those labels. */
const withoutLabels = (match: LabelMatch, isLabel: (key: string) => boolean): LabelMatch =>
  match.flatMap((requirement): readonly Requirement[] => {
    if (isLabel(requirement.key)) return [requirement];
    return selects([requirement], {}) ? [] : [{ ...requirement, operator: "In", values: [] }];
  });
