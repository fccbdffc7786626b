import { type Cluster, type PodSelection, type Tiers, type Vocabulary, vocabularyOf } from "@tierwall/core";

/** What the rules of the cluster look at in the endpoints that pods talk to. Nothing else of a pod is in its identity. */
export type PeerVocabulary = Pick<Vocabulary, "podKeys" | "nodeKeys" | "portNames" | "accounts">;

export const emptyVocabulary: PeerVocabulary = {
  podKeys: new Map(),
  nodeKeys: new Set(),
  portNames: new Set(),
  accounts: false,
};

/**
 * Of all rules, not only of those about pods of this node: identities are to stay the same when a pod of another kind comes to it.
 * `before` is returned where nothing is different.
 */
export function peerVocabularyOf(cluster: Cluster, tiers: Tiers, before: PeerVocabulary): PeerVocabulary {
  const found = vocabularyOf(cluster, peersOf(tiers));
  const isSame =
    sameKeys(found.podKeys, before.podKeys) &&
    sameKeys(found.nodeKeys, before.nodeKeys) &&
    sameKeys(found.portNames, before.portNames) &&
    found.accounts === before.accounts;
  return isSame ? before : found;
}

const everyPod: PodSelection = { namespaces: [], pods: [] };

/** The rules without what they say of their subjects, whose named ports are those of what comes in (S1.8). */
function peersOf({ ingress, egress }: Tiers): Tiers {
  const looksAtPeer = new Set<string>(["pods", "nodes", "entity"]);
  const only = (tiers: Tiers["egress"], isEgress: boolean) =>
    tiers.map((tier) => ({
      ...tier,
      rules: tier.rules.map((rule) => ({
        ...rule,
        subject: everyPod,
        peers: rule.peers.filter(({ kind }) => looksAtPeer.has(kind)),
        ports: isEgress ? rule.ports : ("every" as const),
      })),
      isolation: [],
    }));
  return { ingress: only(ingress, false), egress: only(egress, true) };
}

type Keys = ReadonlySet<string> | ReadonlyMap<string, unknown>;

const sameKeys = (a: Keys, b: Keys): boolean => a.size === b.size && [...a.keys()].every((key) => b.has(key));
