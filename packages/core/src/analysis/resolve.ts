import { workloadKinds } from "../cluster/build.js";
import type { Cluster, Namespace, Pod, Service, Workload } from "../cluster/model.js";
import { podAt } from "../cluster/service.js";
import { diagnostic } from "../diagnostics/diagnostic.js";
import { failed, ok, type Result } from "../diagnostics/result.js";
import { didYouMean } from "../diagnostics/suggest.js";
import type { Endpoint } from "../evaluate/flow.js";
import { namespaceNameLabel } from "../labels/requirement.js";
import { type Address, type Family, formatAddress, sameAddress } from "../net/address.js";
import { contains } from "../net/cidr.js";
import type { EndpointRef } from "./endpoint-ref.js";

/** What a name stands for: the ends it may be, or the Service in front of them. */
export interface Resolved {
  readonly label: string;
  readonly endpoints: readonly Endpoint[];
  /** Asked through a Service: the endpoints are those behind it (S1.9). */
  readonly service?: Service;
  /** Asked by an address: only its family is in question. */
  readonly family?: Family;
}

const shortKinds: Readonly<Record<string, string>> = {
  deploy: "Deployment",
  rs: "ReplicaSet",
  sts: "StatefulSet",
  ds: "DaemonSet",
  cj: "CronJob",
  rc: "ReplicationController",
  svc: "Service",
};

export function resolve(cluster: Cluster, ref: EndpointRef): Result<Resolved> {
  switch (ref.kind) {
    case "named":
      return resolveNamed(cluster, ref.namespace, ref.name);
    case "workload":
      return resolveWorkload(cluster, ref);
    case "node": {
      const node = cluster.nodes.get(ref.name);
      if (node === undefined)
        return failed(
          diagnostic(
            "TW1502",
            `there is no node \`${ref.name}\`${didYouMean(ref.name, [...cluster.nodes.keys()])}`,
          ),
        );
      return ok({ label: `node ${node.name}`, endpoints: [{ kind: "node", node }] });
    }
    case "address":
      return resolveAddress(cluster, ref.address);
    case "new":
      return ok({ label: `new pod`, endpoints: [newPod(cluster, ref)] });
  }
}

/** A pod, or a workload by its bare name. */
function resolveNamed(cluster: Cluster, namespace: string, name: string): Result<Resolved> {
  const pod = cluster.pods.get(`${namespace}/${name}`);
  if (pod !== undefined) return ok(podsAs(cluster, `${namespace}/${name}`, [pod]));
  const workloads = cluster.workloads.filter(
    (workload) => workload.namespace === namespace && workload.name === name,
  );
  const [only] = workloads;
  if (only !== undefined && workloads.length === 1)
    return ok(podsAs(cluster, `${namespace}/${name}`, only.pods));
  if (workloads.length > 1)
    return failed(
      diagnostic(
        "TW1502",
        `\`${namespace}/${name}\` could be ${workloads.map((w) => `\`${namespace}/${w.kind}/${name}\``).join(" or ")}; say which`,
      ),
    );
  return failed(
    diagnostic(
      "TW1502",
      `there is no pod or workload \`${namespace}/${name}\`${nearestName(cluster, namespace, name)}`,
    ),
  );
}

function nearestName(cluster: Cluster, namespace: string, name: string): string {
  if (!cluster.namespaces.has(namespace))
    return `, and no namespace \`${namespace}\`${didYouMean(namespace, [...cluster.namespaces.keys()])}`;
  const known = [...cluster.pods.keys(), ...cluster.workloads.map((w) => `${w.namespace}/${w.name}`)].filter(
    (key) => key.startsWith(`${namespace}/`),
  );
  return didYouMean(`${namespace}/${name}`, known);
}

function resolveWorkload(
  cluster: Cluster,
  ref: Extract<EndpointRef, { kind: "workload" }>,
): Result<Resolved> {
  const known = [...workloadKinds, "Service", "Pod"];
  const kind =
    shortKinds[ref.workload.toLowerCase()] ??
    known.find((k) => [k.toLowerCase(), `${k.toLowerCase()}s`].includes(ref.workload.toLowerCase()));
  if (kind === undefined)
    return failed(
      diagnostic(
        "TW1502",
        `\`${ref.workload}\` is not a kind of workload${didYouMean(ref.workload, known)}; known are ${known.join(", ")}`,
      ),
    );
  const name = `${ref.namespace}/${ref.name}`;
  if (kind === "Pod") return resolveNamed(cluster, ref.namespace, ref.name);
  if (kind === "Service") {
    const service = cluster.services.find((s) => s.namespace === ref.namespace && s.name === ref.name);
    return service === undefined
      ? failed(diagnostic("TW1502", `there is no Service \`${name}\``))
      : ok(serviceAs(service));
  }
  const workload = cluster.workloads.find(
    (w: Workload) => w.kind === kind && w.namespace === ref.namespace && w.name === ref.name,
  );
  if (workload !== undefined)
    return ok(podsAs(cluster, `${ref.namespace}/${kind}/${ref.name}`, workload.pods));
  const others = cluster.workloads
    .filter((w) => w.kind === kind && w.namespace === ref.namespace)
    .map((w) => w.name);
  return failed(
    diagnostic("TW1502", `there is no ${kind} \`${name}\` with pods${didYouMean(ref.name, others)}`),
  );
}

// S1.9: an address that is a pod's, a node's or a Service's is about that pod, that node, those endpoints.
function resolveAddress(cluster: Cluster, address: Address): Result<Resolved> {
  const { family } = address;
  const pod = podAt(cluster, address);
  if (pod !== undefined) return ok({ ...podsAs(cluster, `${pod.namespace}/${pod.name}`, [pod]), family });
  for (const node of cluster.nodes.values())
    if (node.addresses.some((a) => sameAddress(a, address)))
      return ok({ label: `node ${node.name}`, endpoints: [{ kind: "node", node, address }], family });
  const service = cluster.services.find((s) => s.addresses.some((a) => sameAddress(a, address)));
  if (service !== undefined) return ok({ ...serviceAs(service), family });
  if (cluster.facts.serviceCidrs.some((range) => contains(range, address)))
    return failed(
      diagnostic(
        "TW1506",
        `${formatAddress(address)} is a Service address, but no Service in the input has it`,
        {
          hint: "Policies judge the endpoints behind a Service: add the Service and its EndpointSlices or pods to the input.",
        },
      ),
    );
  const hostPod = [...cluster.pods.values()].find(
    (p) => p.hostNetwork && p.addresses.some((a) => sameAddress(a, address)),
  );
  if (hostPod !== undefined)
    return ok({ ...podsAs(cluster, `${hostPod.namespace}/${hostPod.name}`, [hostPod]), family });
  return ok({ label: formatAddress(address), endpoints: [{ kind: "external", address }], family });
}

export function podEndpoint(cluster: Cluster, pod: Pod): Endpoint {
  const namespace: Namespace = cluster.namespaces.get(pod.namespace) ?? {
    name: pod.namespace,
    labels: { [namespaceNameLabel]: pod.namespace },
  };
  return { kind: "pod", pod, namespace };
}

function podsAs(cluster: Cluster, label: string, pods: readonly Pod[]): Resolved {
  return { label, endpoints: pods.map((pod) => podEndpoint(cluster, pod)) };
}

function serviceAs(service: Service): Resolved {
  return { label: `Service ${service.namespace}/${service.name}`, endpoints: [], service };
}

/** A pod that does not exist yet, in the namespace its labels name, or in one that does not exist yet either. */
function newPod(
  cluster: Cluster,
  { namespaceLabels, podLabels }: Extract<EndpointRef, { kind: "new" }>,
): Endpoint {
  const name = namespaceLabels[namespaceNameLabel];
  const existing = name === undefined ? undefined : cluster.namespaces.get(name);
  const namespace: Namespace = { name: name ?? "(new)", labels: { ...existing?.labels, ...namespaceLabels } };
  const pod: Pod = {
    namespace: namespace.name,
    name: "(new)",
    labels: podLabels,
    addresses: [],
    hostNetwork: false,
    ports: [],
    serviceAccount: "default",
    fromTemplate: true,
  };
  return { kind: "pod", pod, namespace };
}
