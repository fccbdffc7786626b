import { settleLabels } from "../../engine/index.js";
import {
  type LabelMatch,
  type Labels,
  namespaceNameLabel,
  namespaceNamed,
} from "../../labels/requirement.js";
import type { NamespaceSet, Peer } from "../../policy/model.js";

/** What relative peers are relative to. */
export interface SubjectLabels {
  readonly namespace: Labels;
  readonly pod: Labels;
}

/** A peer as subjects with these labels mean it, in selectors alone; undefined where it matches nothing. */
export function settledPeer(peer: Peer, { namespace, pod }: SubjectLabels): Peer | undefined {
  if (peer.kind !== "pods") return peer;
  const namespaces = settledSet(peer.namespaces, namespace);
  const pods = settledSet(peer.pods, pod);
  if (namespaces === undefined || pods === undefined) return undefined;
  return {
    ...peer,
    namespaces: { kind: "selector", match: namespaces },
    pods: { kind: "selector", match: pods },
  };
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
