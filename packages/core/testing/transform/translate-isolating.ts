import type { CiliumItem, CiliumSpec } from "../arbitrary/arbitrary-cilium.js";
import type { DraftPeer, WrittenDraftRule, DraftSpec } from "../arbitrary/arbitrary-first-draft.js";
import type { KepPeer, KepRule, KepSpec } from "../arbitrary/arbitrary-kep.js";
import type {
  NetworkPolicyPeer,
  NetworkPolicyRule,
  NetworkPolicySpec,
  PolicyPort,
} from "../arbitrary/arbitrary-network-policy.js";
import { type Manifest, namespaceNameKey, type Selector } from "../arbitrary/arbitrary-vocabulary.js";

/* NetworkPolicies and first-draft policies, translated to APIs that can express the same. */

const directions = ["ingress", "egress"] as const;
type Direction = (typeof directions)[number];

const namedAs = (name: string): Selector => ({ matchLabels: { [namespaceNameKey]: name } });

// S2.1
export function isolatedBy({ policyTypes = [], egress = [] }: NetworkPolicySpec): readonly Direction[] {
  if (policyTypes.length === 0) return egress.length > 0 ? ["ingress", "egress"] : ["ingress"];
  return directions.filter((d) => policyTypes.includes(d === "ingress" ? "Ingress" : "Egress"));
}

const peersOf = (rule: NetworkPolicyRule) => rule.from ?? rule.to ?? [];

/** Without the rules about addresses, which other APIs interpret differently. */
export function withoutBlocks(policy: Manifest): Manifest {
  if (policy.kind !== "NetworkPolicy") return policy;
  const spec = policy.spec as NetworkPolicySpec;
  const kept = (rules: readonly NetworkPolicyRule[]) =>
    rules.filter((rule) => peersOf(rule).every((peer) => peer.ipBlock === undefined));
  return {
    ...policy,
    spec: {
      ...spec,
      // What is isolated stays so, whatever rules are left.
      policyTypes: isolatedBy(spec).map((d) => (d === "ingress" ? "Ingress" : "Egress")),
      ingress: kept(spec.ingress ?? []),
      egress: kept(spec.egress ?? []),
    },
  };
}

/** A NetworkPolicy as a ClusterDefaultNetworkPolicy for its namespace (S6.5). */
export function asDefaultPolicy({ metadata, spec }: Manifest<NetworkPolicySpec>): Manifest<DraftSpec> {
  const { podSelector = {} } = spec!;
  const own = metadata.namespace!;
  const peer = ({ podSelector, namespaceSelector }: NetworkPolicyPeer): DraftPeer => ({
    namespaceSelector: namespaceSelector ?? namedAs(own),
    ...(podSelector === undefined ? {} : { podSelector }),
  });
  const rule = ({ from, to, ports }: NetworkPolicyRule): WrittenDraftRule => ({
    ...(from === undefined ? {} : { from: from.map(peer) }),
    ...(to === undefined ? {} : { to: to.map(peer) }),
    ...(ports === undefined ? {} : { ports }),
  });
  return {
    apiVersion: "netpol.networking.k8s.io/v1alpha1",
    kind: "ClusterDefaultNetworkPolicy",
    metadata: { name: `${own}-${metadata.name}` },
    spec: {
      appliedTo: { namespaceSelector: namedAs(own), podSelector },
      ...Object.fromEntries(isolatedBy(spec!).map((d) => [d, (spec![d] ?? []).map(rule)])),
    },
  };
}

/** A NetworkPolicy as a CiliumNetworkPolicy; its ipBlocks become CIDRs, which match external addresses only (S7.5). */
export function asCiliumPolicy({ metadata, spec }: Manifest<NetworkPolicySpec>): Manifest<CiliumSpec> {
  const items = (direction: Direction): readonly CiliumItem[] => {
    const way = direction === "ingress" ? "from" : "to";
    const found = (spec![direction] ?? []).flatMap((rule): CiliumItem[] => {
      const ports = ciliumPorts(rule.ports ?? []);
      const peers = peersOf(rule);
      if (peers.length === 0) return [{ [`${way}Entities`]: ["all"], ...ports }];
      return peers.map((peer) => ({
        ...(peer.ipBlock === undefined
          ? { [`${way}Endpoints`]: [endpoints(peer.podSelector ?? {}, peer.namespaceSelector)] }
          : { [`${way}CIDRSet`]: [peer.ipBlock] }),
        ...ports,
      }));
    });
    // S7.2: only a section with something in it isolates; `{}` matches nothing.
    return found.length === 0 ? [{}] : found;
  };
  return {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata,
    spec: {
      endpointSelector: spec!.podSelector ?? {},
      ...Object.fromEntries(isolatedBy(spec!).map((d) => [d, items(d)])),
    },
  };
}

/** S7.4: labels of the namespace under Cilium's prefix; `Exists` names a namespace label without narrowing. */
function endpoints(pods: Selector, namespaces: Selector | undefined): Selector {
  if (namespaces === undefined) return pods;
  const prefixed = (key: string) => `k8s:io.cilium.k8s.namespace.labels.${key}`;
  const labels = Object.entries(namespaces.matchLabels ?? {}).map(([key, value]) => [prefixed(key), value]);
  return {
    matchLabels: { ...pods.matchLabels, ...(Object.fromEntries(labels) as Record<string, string>) },
    matchExpressions: [
      ...(pods.matchExpressions ?? []),
      ...(namespaces.matchExpressions ?? []).map((e) => ({ ...e, key: prefixed(e.key) })),
      { key: "io.kubernetes.pod.namespace", operator: "Exists" },
    ],
  };
}

const ciliumPorts = (ports: readonly PolicyPort[]): CiliumItem =>
  ports.length === 0
    ? {}
    : {
        toPorts: ports.map(({ protocol = "TCP", port = 0, endPort }) => ({
          ports: [{ port: String(port), protocol, ...(endPort === undefined ? {} : { endPort }) }],
        })),
      };

/** Whether the KEP can express it: it cannot express "everything" (S6.3). */
export const namesItsPeers = (rule: WrittenDraftRule): boolean => (rule.from ?? rule.to ?? []).length > 0;

/** First-draft rules of one action as a KEP AdminNetworkPolicy of this priority. */
export function asKepPolicy(
  { metadata, spec }: Manifest<DraftSpec>,
  action: NonNullable<WrittenDraftRule["action"]>,
  priority: number,
): Manifest<KepSpec> {
  const rules = (direction: Direction) =>
    (spec![direction] ?? [])
      .filter((rule) => rule.action === action && namesItsPeers(rule))
      .map((rule): KepRule => {
        const peers = (rule.from ?? rule.to ?? []).map(kepPeer);
        const l4Selector =
          (rule.ports ?? []).length === 0
            ? { allPorts: true as const }
            : // S2.4, S5.5: without a port, every port there, none here.
              {
                ports: rule.ports!.map((p) => (p.port === undefined ? { ...p, port: 1, endPort: 65535 } : p)),
              };
        const kepAction = action === "Empower" ? "Pass" : action;
        return {
          action: kepAction,
          l4Selector,
          ...(direction === "ingress" ? { from: peers } : { to: peers }),
        };
      });
  const { namespaceSelector, podSelector } = spec!.appliedTo;
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    metadata: { name: `${metadata.name}-${action.toLowerCase()}` },
    spec: {
      priority,
      subject:
        podSelector === undefined
          ? { namespaceSelector }
          : { namespaceAndPodSelector: { namespaceSelector, podSelector } },
      ingress: rules("ingress"),
      egress: rules("egress"),
    },
  };
}

function kepPeer({ namespaceSelector, namespaces, podSelector }: DraftPeer): KepPeer {
  const set =
    namespaces === undefined
      ? { namespaceSelector: namespaceSelector ?? {} }
      : namespaces.scope === "Self"
        ? { self: true as const }
        : namespaces.scope === "Selector"
          ? { namespaceSelector: namespaces.selector }
          : { sameLabels: namespaces.labels };
  return podSelector === undefined
    ? { namespaces: set }
    : { namespacedPods: { namespaces: set, pods: { podSelector } } };
}

/** First-draft Deny rules with plain selectors as a clusterwide Cilium policy that isolates nothing (S7.2). */
export function asCiliumDeny({ metadata, spec }: Manifest<DraftSpec>): Manifest<CiliumSpec> {
  const items = (direction: Direction): readonly CiliumItem[] => {
    const way = direction === "ingress" ? "from" : "to";
    return (spec![direction] ?? []).map((rule) => {
      const peers = rule.from ?? rule.to ?? [];
      const written =
        peers.length === 0
          ? { [`${way}Entities`]: ["all"] }
          : {
              [`${way}Endpoints`]: peers.map((p) =>
                endpoints(p.podSelector ?? {}, p.namespaceSelector ?? {}),
              ),
            };
      return { ...written, ...ciliumPorts(rule.ports ?? []) };
    });
  };
  const { namespaceSelector, podSelector = {} } = spec!.appliedTo;
  return {
    apiVersion: "cilium.io/v2",
    kind: "CiliumClusterwideNetworkPolicy",
    metadata,
    spec: {
      endpointSelector: endpoints(podSelector, namespaceSelector),
      enableDefaultDeny: { ingress: false, egress: false },
      // S7.9: at least one item; `{}` matches nothing.
      ingressDeny: [...items("ingress"), {}],
      egressDeny: items("egress"),
    },
  };
}
