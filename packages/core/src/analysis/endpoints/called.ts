import type { Cluster } from "../../cluster/model.js";
import { suggest } from "../../diagnostics/suggest.js";

/** An endpoint of a cluster as a question names it, and what it is: `shop/cart`, a Deployment. */
export interface NamedEndpoint {
  readonly text: string;
  readonly what: string;
}

/** All that a question can name: workloads, pods without one, nodes, and Services where connections go. */
export function namedEndpoints(cluster: Cluster, role: "source" | "destination"): readonly NamedEndpoint[] {
  const named: NamedEndpoint[] = [];
  const kinds = new Map<string, number>();
  for (const { namespace, name } of cluster.workloads)
    kinds.set(`${namespace}/${name}`, (kinds.get(`${namespace}/${name}`) ?? 0) + 1);
  for (const { namespace, name, kind, pods } of cluster.workloads) {
    const isPlain = kinds.get(`${namespace}/${name}`) === 1 && !isPod(cluster, `${namespace}/${name}`);
    const counted = pods.some((pod) => pod.fromTemplate === true) ? "" : `, ${count(pods.length, "pod")}`;
    named.push({
      text: isPlain ? `${namespace}/${name}` : `${namespace}/${kind}/${name}`,
      what: `${kind}${counted}`,
    });
  }
  for (const [text, { workload }] of cluster.pods)
    if (workload === undefined) named.push({ text, what: "Pod" });
  if (role === "destination")
    for (const { namespace, name } of cluster.services)
      named.push({ text: `${namespace}/Service/${name}`, what: "Service" });
  named.sort((a, b) => (a.text < b.text ? -1 : 1));
  return [...named, ...[...cluster.nodes.keys()].map((name) => ({ text: `node:${name}`, what: "Node" }))];
}

const isPod = (cluster: Cluster, text: string): boolean =>
  cluster.pods.get(text)?.fromTemplate === undefined && cluster.pods.has(text);

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** The endpoints with this name, in any namespace; if there are none, those with the nearest name. */
export function endpointsCalled(
  cluster: Cluster,
  name: string,
  role: "source" | "destination",
): readonly NamedEndpoint[] {
  const all = [...namedEndpoints(cluster, role), ...podsOfWorkloads(cluster)];
  const called = (wanted: string) => all.filter(({ text }) => ownName(text) === wanted);
  const exact = called(name);
  if (exact.length > 0) return exact;
  const nearest = suggest(name, [...new Set(all.map(({ text }) => ownName(text)))]);
  return nearest === undefined ? [] : called(nearest);
}

function podsOfWorkloads(cluster: Cluster): readonly NamedEndpoint[] {
  const pods = [...cluster.pods].filter(([, pod]) => pod.workload !== undefined && pod.fromTemplate !== true);
  return pods.map(([text, { workload }]) => ({ text, what: `Pod of ${workload!.kind} ${workload!.name}` }));
}

const ownName = (text: string): string => /[^/:]*$/.exec(text)![0];
