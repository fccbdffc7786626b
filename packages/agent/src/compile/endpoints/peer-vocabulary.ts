import { type Vocabulary, vocabularyOf } from "@tierwall/core/engine";
import type { Direction, Inventory, Peer, Pod, PodSelection, Tiers } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";

/** The properties of peers that the rules of the cluster use. The identity of a pod contains nothing else. */
export type PeerVocabulary = Pick<Vocabulary, "podKeys" | "nodeKeys" | "portNames" | "accounts">;

export const emptyVocabulary: PeerVocabulary = {
  podKeys: new Map(),
  nodeKeys: new Set(),
  portNames: new Set(),
  accounts: false,
};

/**
 * Of all rules, not only of those for pods of this node: identities must not change when a pod of another kind is added to it.
 * Returns `before` if nothing changed.
 */
export function peerVocabularyOf(cluster: Inventory, tiers: Tiers, before: PeerVocabulary): PeerVocabulary {
  const found = vocabularyOf(cluster, peersOf(tiers));
  const isSame =
    sameKeys(found.podKeys, before.podKeys) &&
    sameKeys(found.nodeKeys, before.nodeKeys) &&
    sameKeys(found.portNames, before.portNames) &&
    found.accounts === before.accounts;
  return isSame ? before : found;
}

const everyPod: PodSelection = { namespaces: [], pods: [] };

/** One rule per tier, with the peers of all of them, and with their named ports unless these are the subject's (S1.8). */
function peersOf(tiers: Tiers): Tiers {
  const together = (direction: Direction) =>
    tiers[direction].map(({ name, rules }) => ({
      name,
      rules: rules.slice(0, 1).map((first) => ({
        ...first,
        subject: everyPod,
        peers: rules.flatMap(({ peers }) => peers.filter(looksAtLabels)),
        ports: rules.flatMap(({ ports }) => (direction === "ingress" || ports === "every" ? [] : ports)),
      })),
      isolation: [],
    }));
  return { ingress: together("ingress"), egress: together("egress") };
}

const looksAtLabels = ({ kind }: Peer): boolean => kind === "pods" || kind === "nodes" || kind === "entity";

type Keys = ReadonlySet<string> | ReadonlyMap<string, unknown>;

const sameKeys = (a: Keys, b: Keys): boolean => a.size === b.size && [...a.keys()].every((key) => b.has(key));

/** The properties of pods that rules use, except addresses, as a text: rules do not distinguish pods with the same text. */
export class PodTexts {
  private readonly keys: readonly string[];
  private readonly portTexts = new WeakMap<Pod["ports"], string>();

  constructor(private readonly vocabulary: PeerVocabulary) {
    this.keys = [...vocabulary.podKeys.keys()].toSorted();
  }

  of({ namespace, labels, serviceAccount, ports }: Pod): string {
    let text = namespace;
    for (const key of this.keys) {
      const value: unknown = labels[key];
      // A value that is not a text is not a label, but a property that every object inherits.
      if (typeof value === "string") text += ` ${key}=${value}`;
    }
    if (this.vocabulary.accounts) text += ` account ${serviceAccount}`;
    return this.vocabulary.portNames.size > 0 ? text + this.textOfPorts(ports) : text;
  }

  /** Replicas share the object with their ports. */
  private textOfPorts(ports: Pod["ports"]): string {
    return getOrInsert(this.portTexts, ports, () => {
      const named = ports.filter(({ name }) => name !== undefined && this.vocabulary.portNames.has(name));
      const texts = named.map(({ name, protocol, port }) => `${name}:${protocol}:${port}`);
      return ` ports ${texts.toSorted().join()}`;
    });
  }
}
