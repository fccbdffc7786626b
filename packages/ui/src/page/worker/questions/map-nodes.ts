import type { MatrixEnd, Party } from "@tierwall/core";
import { partyKey } from "@tierwall/core/analysis";
import type { Member } from "@tierwall/core/engine";
import { type LabelMatch, selects } from "@tierwall/core/model";
import { counted } from "../../frame/counted.js";
import { heldMatrix } from "./held-matrix.js";
import type { HeldState } from "../held-state.js";

/** Something on the map: a namespace that is folded up, a workload of one that is open, all nodes, all that is outside. */
export interface MapNode {
  readonly key: string;
  readonly kind: "namespace" | "workload" | "nodes" | "outside";
  /** The card that it is on. */
  readonly card: string;
  readonly name: string;
  /** `3 workloads`, `Deployment`. */
  readonly detail: string;
}

/** Which namespaces are open: `all`, or by their names. */
export type Opened = "all" | readonly string[];

const nodesNode: MapNode = { key: "nodes", kind: "nodes", card: "nodes", name: "nodes", detail: "" };
const outsideNode: MapNode = {
  key: "outside",
  kind: "outside",
  card: "outside",
  name: "outside",
  detail: "external addresses",
};

/** The nodes of a map, in the order of their names, and to which of them an end belongs. */
export class MapNodes {
  readonly list: readonly MapNode[];
  private readonly indexes = new Map<string, number>();

  constructor(
    held: HeldState,
    private readonly opened: Opened,
  ) {
    const workloads = new Map<string, number>();
    const { parties } = heldMatrix(held, "workload").matrix;
    for (const party of parties)
      if (party.kind === "workload")
        workloads.set(party.namespace, (workloads.get(party.namespace) ?? 0) + 1);
    const found = new Map<string, MapNode>();
    for (const party of parties) {
      const key = this.keyOf(party);
      if (!found.has(key)) found.set(key, this.nodeOf(party, key, workloads));
    }
    if (found.has("nodes"))
      found.set("nodes", { ...nodesNode, detail: counted(held.state.cluster.nodes.size, "node") });
    found.set("outside", outsideNode);
    this.list = [...found.values()];
    for (const [i, { key }] of this.list.entries()) this.indexes.set(key, i);
  }

  indexOfKey(key: string): number | undefined {
    return this.indexes.get(key);
  }

  keyOf(end: MatrixEnd): string {
    switch (end.kind) {
      case "external":
        return "outside";
      case "node":
        return "nodes";
      case "workload":
        return this.isOpen(end.namespace) ? partyKey(end) : `namespace ${end.namespace}`;
      case "namespace":
      case "pod":
        return `namespace ${end.kind === "pod" ? end.namespace : end.name}`;
    }
  }

  indexOf(end: MatrixEnd): number {
    return this.indexes.get(this.keyOf(end))!;
  }

  indexOfMember(member: Member | "outside"): number {
    if (member === "outside") return this.indexes.get("outside")!;
    if (!("namespace" in member)) return this.indexes.get("nodes")!;
    const { namespace, name, workload } = member;
    return this.indexOf(
      workload === undefined
        ? { kind: "workload", namespace, name, workload: "Pod" }
        : { kind: "workload", namespace: workload.namespace, name: workload.name, workload: workload.kind },
    );
  }

  private isOpen(namespace: string): boolean {
    return this.opened === "all" || this.opened.includes(namespace);
  }

  private nodeOf(party: Party, key: string, workloads: ReadonlyMap<string, number>): MapNode {
    if (party.kind !== "workload") return nodesNode;
    const { namespace, name, workload } = party;
    if (this.isOpen(namespace)) return { key, kind: "workload", card: namespace, name, detail: workload };
    const detail = counted(workloads.get(namespace) ?? 0, "workload");
    return { key, kind: "namespace", card: namespace, name: namespace, detail };
  }
}

/** Which nodes the filters mean: with a namespace of that name in them, and with a pod of these labels. */
export function meantNodes(
  held: HeldState,
  nodes: MapNodes,
  namespace: string,
  labels: LabelMatch,
): readonly boolean[] {
  if (namespace === "" && labels.length === 0) return nodes.list.map(() => true);
  const meant = nodes.list.map(() => false);
  for (const pod of held.state.cluster.pods.values())
    if (pod.namespace.includes(namespace) && selects(labels, pod.labels))
      meant[nodes.indexOfMember(pod)] = true;
  return meant;
}
