import {
  type AdminModel,
  type AdminPeer,
  type AdminPort,
  type AdminRule,
  spell,
} from "../arbitrary/arbitrary-admin.js";
import type { ClusterModel, PodModel } from "../arbitrary/arbitrary-cluster.js";
import type { KepPeer, KepRule, KepSpec, KepNamespaces, KepPods } from "../arbitrary/arbitrary-kep.js";
import type { PolicyPort } from "../arbitrary/arbitrary-network-policy.js";
import { named } from "../arbitrary/arbitrary-policies.js";
import { type Manifest, namespaceNameKey, type Selector } from "../arbitrary/arbitrary-vocabulary.js";

/*
 * The KEP's AdminNetworkPolicy as ClusterNetworkPolicies. Its sets are relative to the subject, which the other API
 * cannot express; so each pod gets its own policy, in which "my namespace" and "my labels" are written out (S5.4).
 */

type Labels = Readonly<Record<string, string>>;
type Requirement = NonNullable<Selector["matchExpressions"]>[number];

export function translateKep(policy: Manifest<KepSpec>, cluster: ClusterModel): readonly Manifest[] {
  const spec = policy.spec!;
  return cluster.pods.map((pod) => {
    const model: AdminModel = {
      // S5.1, S1.12
      tier: spec.priority > 0 ? "admin" : "baseline",
      priority: 1000 - spec.priority,
      subject: { pods: justThis(pod, subjectOf(spec)) },
      ingress: (spec.ingress ?? []).flatMap((rule) =>
        translateRule(rule, rule.from, "ingress", pod, cluster),
      ),
      egress: (spec.egress ?? []).flatMap((rule) => translateRule(rule, rule.to, "egress", pod, cluster)),
    };
    return named(spell(model, "seed"), `${policy.metadata.name}-${pod.name}`);
  });
}

interface PodsPeer {
  readonly namespaceSelector: Selector;
  readonly podSelector: Selector;
}

const subjectOf = ({ subject }: KepSpec): PodsPeer =>
  "namespaceSelector" in subject ? { ...subject, podSelector: {} } : subject.namespaceAndPodSelector;

const justThis = (pod: PodModel, { namespaceSelector, podSelector }: PodsPeer): PodsPeer => ({
  namespaceSelector: and(namespaceSelector, isIn(namespaceNameKey, pod.namespace)),
  podSelector: and(podSelector, isIn("pod", pod.name)),
});

const isIn = (key: string, value: string): Requirement => ({ key, operator: "In", values: [value] });
const isNotIn = (key: string, value: string): Requirement => ({ key, operator: "NotIn", values: [value] });
const and = (
  { matchLabels, matchExpressions = [] }: Selector,
  ...more: readonly Requirement[]
): Selector => ({
  ...(matchLabels === undefined ? {} : { matchLabels }),
  matchExpressions: [...matchExpressions, ...more],
});

/** No rule where nothing is left of its peers or ports: there it matches nothing (S5.5, S5.6). */
function translateRule(
  rule: KepRule,
  written: readonly KepPeer[] = [],
  direction: "ingress" | "egress",
  subject: PodModel,
  cluster: ClusterModel,
): readonly AdminRule[] {
  const peers = written.flatMap((peer) => translatePeer(peer, subject, cluster));
  if (peers.length === 0) return [];
  const all = (list: readonly PodsPeer[]): readonly AdminPeer[] => list.map((pods) => ({ pods }));
  if ("allPorts" in rule.l4Selector) return [{ action: rule.action, peers: all(peers) }];
  const { ports } = rule.l4Selector;
  const portsAt = (destination: PodModel) => ports.flatMap((port) => translatePort(port, destination));
  if (direction === "ingress") {
    const translated = portsAt(subject);
    return translated.length === 0 ? [] : [{ action: rule.action, peers: all(peers), ports: translated }];
  }
  // S1.8: a name means other numbers at other destinations, so each of them gets a rule.
  return cluster.pods.flatMap((destination) => {
    const translated = portsAt(destination);
    const there = all(peers.map((peer) => justThis(destination, peer)));
    return translated.length === 0 ? [] : [{ action: rule.action, peers: there, ports: translated }];
  });
}

function translatePeer(peer: KepPeer, subject: PodModel, cluster: ClusterModel): readonly PodsPeer[] {
  const [namespaces, pods]: [KepNamespaces, KepPods] =
    "namespaces" in peer
      ? [peer.namespaces, { podSelector: {} }]
      : [peer.namespacedPods.namespaces, peer.namespacedPods.pods];
  const namespace = subject.namespace;
  const own: Labels = { ...cluster.namespaces[namespace], [namespaceNameKey]: namespace };
  const namespaceSelector =
    "self" in namespaces
      ? and({}, isIn(namespaceNameKey, namespace))
      : "notSelf" in namespaces
        ? and({}, isNotIn(namespaceNameKey, namespace))
        : "namespaceSelector" in namespaces
          ? namespaces.namespaceSelector
          : writtenOut(namespaces, own);
  const podSelector = "podSelector" in pods ? pods.podSelector : writtenOut(pods, subject.labels);
  return namespaceSelector === undefined || podSelector === undefined
    ? []
    : [{ namespaceSelector, podSelector }];
}

/** S5.4: undefined where the set selects nothing. */
function writtenOut(set: Exclude<KepPods, { podSelector: Selector }>, own: Labels): Selector | undefined {
  const keys = "sameLabels" in set ? set.sameLabels : set.notSameLabels;
  if (keys.length === 0) return undefined;
  if ("sameLabels" in set)
    return keys.every((key) => key in own) ? and({}, ...keys.map((key) => isIn(key, own[key]!))) : undefined;
  return and({}, ...keys.filter((key) => key in own).map((key) => isNotIn(key, own[key]!)));
}

function translatePort(
  { protocol = "TCP", port, endPort }: PolicyPort,
  destination: PodModel,
): readonly AdminPort[] {
  if (typeof port === "number") return [{ protocol, first: port, last: endPort ?? port }];
  // A host-network pod has no named ports, and no peer selects it either.
  return destination.ports
    .filter(
      (declared) => declared.name === port && port !== undefined && (declared.protocol ?? "TCP") === protocol,
    )
    .map(({ containerPort }) => ({ protocol, first: containerPort, last: containerPort }));
}
