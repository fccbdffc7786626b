import type { Endpoint, Inventory, Namespace, Pod } from "@tierwall/core/model";
import { type Address, parseAddress } from "../../packages/core/src/net/address.js";

/*
 * A lab carries pods with an address and a node. Examples also have pods with neither, because policies select by
 * labels: workloads in a file, pods that do not exist yet. Here they get what they lack; the caller has to check whether
 * that changes a verdict.
 */

/** A cluster whose pods can all be in a lab, and what became of the ends of connections in it. */
export interface Carried {
  readonly cluster: Inventory;
  readonly endOf: (end: Endpoint) => Endpoint;
}

/** A node that no policy selects, and on which no pod runs. */
const spareNode = "lab-spare-node";

/** `ends`: those that questions are about; some of them are no part of the cluster yet. */
export function carried(cluster: Inventory, ends: readonly Endpoint[]): Carried {
  const namespaces = new Map(cluster.namespaces);
  const pods = new Map<string, Pod>();
  const settled = new Map<Pod, Endpoint>();
  let addresses = 0;
  let newcomers = 0;

  const settle = (pod: Pod, namespace: Namespace) => {
    const own = pod.addresses.length > 0 || pod.hostNetwork ? pod.addresses : unusedAddress(++addresses);
    const node = pod.node ?? spareNode;
    const copy: Pod = { ...pod, namespace: namespace.name, name: pod.name, addresses: own, node };
    const name = pods.has(`${copy.namespace}/${copy.name}`) ? `${copy.name}-${pods.size}` : copy.name;
    const settledPod = { ...copy, name };
    namespaces.set(namespace.name, namespace);
    pods.set(`${settledPod.namespace}/${name}`, settledPod);
    settled.set(pod, { kind: "pod", pod: settledPod, namespace });
  };

  for (const pod of cluster.pods.values()) settle(pod, cluster.namespaces.get(pod.namespace)!);
  for (const end of ends) {
    if (end.kind !== "pod" || settled.has(end.pod)) continue;
    settle(
      { ...end.pod, name: "new" },
      homeOf(end.namespace, cluster, () => `new-${++newcomers}`),
    );
    settled.set(end.pod, [...settled.values()].at(-1)!);
  }
  const nodes = new Map(cluster.nodes);
  nodes.set(spareNode, { name: spareNode, labels: {}, addresses: [] });
  return {
    cluster: { ...cluster, namespaces, pods, nodes },
    endOf: (end) => (end.kind === "pod" ? settled.get(end.pod)! : end),
  };
}

/** A namespace that exists, if it is the same; else one of its own. */
function homeOf(asked: Namespace, { namespaces }: Inventory, nextName: () => string): Namespace {
  const known = namespaces.get(asked.name);
  if (known !== undefined && JSON.stringify(known.labels) === JSON.stringify(asked.labels)) return known;
  const name = nextName();
  return { name, labels: { ...asked.labels, "kubernetes.io/metadata.name": name } };
}

/** In ranges that no example uses (S1.14: not in any narrow CIDR). */
function unusedAddress(number: number): readonly Address[] {
  return [`100.127.0.${number}`, `fd7f::${number.toString(16)}`].map((text) => parseAddress(text)!);
}
