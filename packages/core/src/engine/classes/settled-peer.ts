import type { LabelMatch, Labels } from "../../labels/requirement.js";
import type { NamespaceSet, Peer, PodSet } from "../../policy/model.js";
import type { EndClass } from "./ends.js";
import { choiceKey, matchKey, type NamespaceChoice, type PodChoice } from "./selection.js";

export type PodsPeer = Extract<Peer, { kind: "pods" }>;

/** A peer as its subject means it: nothing in it is relative any more. */
export type SettledPeer =
  | Exclude<Peer, PodsPeer>
  | { readonly kind: "pods"; readonly choice: PodChoice }
  | { readonly kind: "nothing" };

/** The pods that such a peer matches depend on the subject (S5.4). */
export function isRelative(peer: Peer): peer is PodsPeer {
  return peer.kind === "pods" && (peer.namespaces.kind !== "selector" || peer.pods.kind !== "selector");
}

export function settlePeer(peer: Peer, subject: Pick<EndClass, "sample">): SettledPeer {
  if (peer.kind !== "pods") return peer;
  const namespaces = settleNamespaces(peer.namespaces, subject);
  const pods = settlePods(peer.pods, subject);
  if (namespaces === undefined || pods === undefined) return { kind: "nothing" };
  return { kind: "pods", choice: { namespaces, pods, account: peer.account ?? [] } };
}

function settleNamespaces(
  set: NamespaceSet,
  { sample }: Pick<EndClass, "sample">,
): NamespaceChoice | undefined {
  if (set.kind === "selector") return { kind: "labels", match: set.match };
  if (sample.kind !== "pod") return undefined;
  const { name, labels } = sample.namespace;
  if (set.kind === "self") return { kind: "named", name };
  if (set.kind === "not-self") return { kind: "not-named", name };
  const match = settleLabels(set, labels);
  return match && { kind: "labels", match };
}

function settlePods(set: PodSet, { sample }: Pick<EndClass, "sample">): LabelMatch | undefined {
  if (set.kind === "selector") return set.match;
  return sample.kind === "pod" ? settleLabels(set, sample.pod.labels) : undefined;
}

/** S5.4: the subject's own values, all of them or none of them; undefined where that selects nothing. */
export function settleLabels(
  { kind, keys }: Extract<PodSet, { keys: readonly string[] }>,
  labels: Labels,
): LabelMatch | undefined {
  if (keys.length === 0) return undefined;
  const own = keys.filter((key) => Object.hasOwn(labels, key));
  if (kind === "same-labels" && own.length < keys.length) return undefined;
  const operator = kind === "same-labels" ? "In" : "NotIn";
  return own.map((key) => ({ key, operator, values: [labels[key]!] }));
}

/** A text that equal peers share. */
export function peerKey(peer: SettledPeer): string {
  switch (peer.kind) {
    case "everything":
    case "nothing":
      return peer.kind;
    case "pods":
      return `pods ${choiceKey(peer.choice)}`;
    case "networks": {
      const blocks = (list: typeof peer.cidrs) =>
        list.map((c) => `${c.family}:${c.first}/${c.prefix}`).join();
      return `networks ${peer.reach} ${blocks(peer.cidrs)} but ${blocks(peer.except)}`;
    }
    case "nodes":
      return `nodes ${matchKey(peer.nodes)}`;
    case "entity":
      return `entity ${peer.entity} ${peer.apiServer ?? ""} ${peer.nodes === undefined ? "" : matchKey(peer.nodes)}`;
    case "domains":
    case "endpoints":
    case "unknown-set":
      return JSON.stringify(peer);
    case "cidr-group":
      return JSON.stringify(peer, (_key, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
  }
}
