import { settleLabels } from "../../engine/index.js";
import {
  type LabelMatch,
  type Labels,
  namespaceNameLabel,
  namespaceNamed,
} from "../../labels/requirement.js";
import { type NamespaceSet, type Peer, podsPeer } from "../../policy/model.js";
import type { Sourced } from "./draft.js";

/** What relative peers are relative to. */
export interface SubjectLabels {
  readonly namespace: Labels;
  readonly pod: Labels;
}

/** Peers as subjects with these labels mean them, in selectors alone; without those that match nothing. */
export function settledPeers(
  peers: readonly Sourced<Peer>[],
  { namespace, pod }: SubjectLabels,
): readonly Sourced<Peer>[] {
  return peers.flatMap((peer) => {
    if (peer.what.kind !== "pods") return peer;
    const namespaces = settledSet(peer.what.namespaces, namespace);
    const pods = settledSet(peer.what.pods, pod);
    if (namespaces === undefined || pods === undefined) return [];
    return { ...peer, what: { ...peer.what, ...podsPeer(namespaces, pods) } };
  });
}

// S5.4
function settledSet(set: NamespaceSet, subject: Labels): LabelMatch | undefined {
  const name = subject[namespaceNameLabel] ?? "";
  switch (set.kind) {
    case "selector":
      return set.match;
    case "self":
      return namespaceNamed(name);
    case "not-self":
      return [{ key: namespaceNameLabel, operator: "NotIn", values: [name] }];
    case "same-labels":
    case "not-same-labels":
      return settleLabels(set, subject);
  }
}
