import type { Inventory, Pod } from "@tierwall/core/model";
import { type Candidate, type Candidates, none, plain } from "./candidates.js";

export function namespaceNames(cluster: Inventory): Candidates {
  return plain([...cluster.namespaces.keys()].toSorted());
}

/** Step by step, as a cluster has thousands of pods: `shop/`, then `shop/cart`, then `shop/cart:8080/TCP`. */
export function endpointNames(cluster: Inventory, word: string): Candidates {
  if (word.startsWith("node:"))
    return plain([...cluster.nodes.keys()].toSorted().map((name) => `node:${name}`));
  const [namespace = "", rest] = word.split(/\/(.*)/s);
  if (rest === undefined) return firstStep(cluster);
  const colon = word.lastIndexOf(":");
  return colon === -1 ? inNamespace(cluster, namespace) : portsOf(cluster, word.slice(0, colon));
}

function firstStep(cluster: Inventory): Candidates {
  const namespaces = [...cluster.namespaces.keys()].toSorted();
  const list: Candidate[] = namespaces.map((name) => ({ value: `${name}/`, description: "Namespace" }));
  if (cluster.nodes.size > 0) list.push({ value: "node:", description: "Node" });
  return { list, unfinished: true };
}

function inNamespace(cluster: Inventory, namespace: string): Candidates {
  const own = <T extends { readonly namespace: string }>(all: Iterable<T>) =>
    [...all].filter((one) => one.namespace === namespace);
  const named = (kind: string, name: string): Candidate => ({
    value: `${namespace}/${kind}/${name}`,
    description: kind,
  });
  const pods = own(cluster.pods.values()).filter((pod) => pod.fromTemplate !== true);
  const list = [
    ...pods.map((pod) => ({ value: `${namespace}/${pod.name}`, description: podDescription(pod) })),
    ...own(cluster.workloads).map(({ kind, name }) => named(kind, name)),
    ...own(cluster.services).map(({ name }) => named("Service", name)),
  ];
  return { list: list.toSorted((a, b) => (a.value < b.value ? -1 : 1)) };
}

const podDescription = ({ workload }: Pod): string =>
  workload === undefined ? "Pod" : `Pod of ${workload.kind} ${workload.name}`;

/** What the containers of a pod, or of a workload's pods, say they listen on. */
function portsOf(cluster: Inventory, endpoint: string): Candidates {
  const [namespace, ...way] = endpoint.split("/");
  const [name = "", kind] = way.toReversed();
  const pod = cluster.pods.get(`${namespace}/${name}`);
  const workload = cluster.workloads.find(
    (one) => one.namespace === namespace && one.name === name && (kind ?? one.kind) === one.kind,
  );
  const pods = pod !== undefined && kind === undefined ? [pod] : (workload?.pods ?? []);
  const ports = pods.flatMap((one) => one.ports);
  if (ports.length === 0) return none;
  const list = ports.map(
    ({ port, protocol, name: called }): Candidate => ({
      value: `${endpoint}:${port}/${protocol}`,
      ...(called === undefined ? {} : { description: called }),
    }),
  );
  return { list: [...new Map(list.map((one) => [one.value, one])).values()] };
}
