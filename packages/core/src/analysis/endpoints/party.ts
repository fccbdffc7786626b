import type { Pod } from "../../cluster/model.js";
import { compareText } from "../../policy/assemble.js";
import type { Endpoint } from "../../evaluate/flow.js";

/** How endpoints are grouped in reports: by pod, by workload, or by namespace. */
export type Grain = "pod" | "workload" | "namespace";

/** A group of endpoints, as users name it. Nodes are never grouped. */
export type Party =
  | { readonly kind: "pod"; readonly namespace: string; readonly name: string }
  /** `workload` is its kind; a pod without a workload is a party of its own, with the kind `Pod`. */
  | {
      readonly kind: "workload";
      readonly namespace: string;
      readonly name: string;
      readonly workload: string;
    }
  | { readonly kind: "namespace"; readonly name: string }
  | { readonly kind: "node"; readonly name: string };

export function partyOf(end: Exclude<Endpoint, { kind: "external" }>, grain: Grain): Party {
  if (end.kind === "node") return { kind: "node", name: end.node.name };
  const { namespace, name, workload } = end.pod;
  switch (grain) {
    case "pod":
      return { kind: "pod", namespace, name };
    case "workload":
      return workload === undefined
        ? { kind: "workload", namespace, name, workload: "Pod" }
        : { kind: "workload", namespace: workload.namespace, name: workload.name, workload: workload.kind };
    case "namespace":
      return { kind: "namespace", name: namespace };
  }
}

/** Equal for the same party, different for others. */
export function partyKey(party: Party): string {
  switch (party.kind) {
    case "pod":
      return `pod ${party.namespace}/${party.name}`;
    case "workload":
      return `${party.workload} ${party.namespace}/${party.name}`;
    case "namespace":
    case "node":
      return `${party.kind} ${party.name}`;
  }
}

/** `shop/cart`, `namespace shop`, `node worker-1`. */
export function formatParty(party: Party): string {
  switch (party.kind) {
    case "pod":
    case "workload":
      return `${party.namespace}/${party.name}`;
    case "namespace":
    case "node":
      return `${party.kind} ${party.name}`;
  }
}

/** Pods before nodes, and those by namespace and name. */
export function compareParties(a: Party, b: Party): number {
  const [x, y] = [a, b].map(
    (party) => `${party.kind === "node" ? 1 : 0} ${formatParty(party).replace("/", " ")} ${partyKey(party)}`,
  );
  return compareText(x!, y!);
}

/** The parties that pods belong to, each once, by name. */
export function partiesOfPods(pods: Iterable<Pod>, grain: Grain): readonly Party[] {
  const found = new Map<string, Party>();
  for (const pod of pods) {
    const party = partyOf({ kind: "pod", pod, namespace: { name: pod.namespace, labels: {} } }, grain);
    found.set(partyKey(party), party);
  }
  return [...found.values()].toSorted((a, b) => (formatParty(a) < formatParty(b) ? -1 : 1));
}
