import type { NamespaceSet, Peer, Rule, Tiers } from "@tierwall/core/model";

/** What the rules of the cluster look at in the ends that pods talk to. Nothing else of a pod is in its identity. */
export interface Words {
  readonly podKeys: ReadonlySet<string>;
  readonly nodeKeys: ReadonlySet<string>;
  readonly portNames: ReadonlySet<string>;
  readonly accounts: boolean;
}

export const noWords: Words = {
  podKeys: new Set(),
  nodeKeys: new Set(),
  portNames: new Set(),
  accounts: false,
};

type Word = `pod ${string}` | `node ${string}` | `port ${string}` | "account";

/**
 * Keeps the words of all rules, not only of those about pods of this node: identities are to stay the same when a pod
 * of another kind comes to it.
 */
export class WordList {
  private ofRule = new Map<Rule, readonly Word[]>();
  private tiers: Tiers | undefined;
  private all: ReadonlySet<Word> = new Set();
  private words = noWords;

  /** The same object as long as the words are the same. */
  update(tiers: Tiers): Words {
    if (tiers === this.tiers) return this.words;
    this.tiers = tiers;
    const ofRule: typeof this.ofRule = new Map();
    const all = new Set<Word>();
    for (const direction of ["egress", "ingress"] as const)
      for (const { rules } of tiers[direction])
        for (const rule of rules) {
          const words = this.ofRule.get(rule) ?? wordsOf(rule, direction === "egress");
          ofRule.set(rule, words);
          for (const word of words) all.add(word);
        }
    this.ofRule = ofRule;
    if (all.size !== this.all.size || [...all].some((word) => !this.all.has(word))) {
      this.all = all;
      this.words = wordsFrom(all);
    }
    return this.words;
  }
}

function wordsFrom(all: ReadonlySet<Word>): Words {
  const behind = (kind: string) =>
    new Set([...all].flatMap((word) => (word.startsWith(`${kind} `) ? word.slice(kind.length + 1) : [])));
  return {
    podKeys: behind("pod"),
    nodeKeys: behind("node"),
    portNames: behind("port"),
    accounts: all.has("account"),
  };
}

function wordsOf({ peers, ports }: Rule, isEgress: boolean): readonly Word[] {
  const words = peers.flatMap(wordsOfPeer);
  // S1.8: named ports are looked up at the destination, which is the other end of what goes out.
  if (isEgress && ports !== "every")
    for (const port of ports) if (port.kind === "named") words.push(`port ${port.name}`);
  return words;
}

function wordsOfPeer(peer: Peer): Word[] {
  switch (peer.kind) {
    case "pods": {
      const words: Word[] = keysOf(peer.pods).map((key): Word => `pod ${key}`);
      return (peer.account ?? []).length > 0 ? [...words, "account"] : words;
    }
    case "nodes":
      return peer.nodes.map(({ key }): Word => `node ${key}`);
    case "entity":
      return (peer.nodes ?? []).map(({ key }): Word => `node ${key}`);
    case "everything":
    case "networks":
    case "domains":
    case "endpoints":
    case "cidr-group":
    case "unknown-set":
      return [];
  }
}

function keysOf(set: NamespaceSet): readonly string[] {
  switch (set.kind) {
    case "selector":
      return set.match.map(({ key }) => key);
    case "same-labels":
    case "not-same-labels":
      return set.keys;
    case "self":
    case "not-self":
      return [];
  }
}
