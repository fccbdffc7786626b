import { dotted } from "./addresses.js";
import { clusterPoliciesOf } from "./cluster-policies.js";
import type { Manifest } from "./json.js";
import { networkPoliciesOf } from "./network-policies.js";
import type { Plan, PlannedNamespace, PlannedNode, PlannedWorkload } from "./plan.js";
import { type PlannedPod, podsOf } from "./planned-pods.js";

/* A plan as Kubernetes objects, one at a time, with only the fields on which verdicts depend. */

export function* manifestsOf(plan: Plan): Iterable<Manifest> {
  yield* surroundingsOf(plan);
  for (const pod of podsOf(plan)) yield podManifest(pod);
}

/** Everything but the pods. */
export function* surroundingsOf(plan: Plan): Iterable<Manifest> {
  for (const namespace of plan.namespaces) yield namespaceManifest(namespace);
  for (const node of plan.nodes) yield nodeManifest(node);
  yield* networkPoliciesOf(plan);
  yield* clusterPoliciesOf(plan);
}

function namespaceManifest({ name, labels }: PlannedNamespace): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { labels, name } };
}

function nodeManifest({ name, labels, address }: PlannedNode): Manifest {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { labels, name },
    status: {
      addresses: [
        { address, type: "InternalIP" },
        { address: name, type: "Hostname" },
      ],
    },
  };
}

function podManifest({ name, workload, labels, node, address }: PlannedPod): Manifest {
  const { kind, name: owner } = controllerOf(workload);
  const podIP = dotted(address);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      labels,
      name,
      namespace: workload.namespace,
      ownerReferences: [{ apiVersion: "apps/v1", controller: true, kind, name: owner }],
    },
    spec: {
      containers: [
        {
          image: `registry.example.com/${workload.name}:1.4.2`,
          name: workload.name,
          ports: workload.ports.map(({ name, port }) => ({ containerPort: port, name, protocol: "TCP" })),
        },
      ],
      ...(workload.hostNetwork ? { hostNetwork: true } : {}),
      nodeName: node.name,
      serviceAccountName: workload.name,
    },
    status: {
      hostIP: node.address,
      hostIPs: [{ ip: node.address }],
      phase: "Running",
      podIP,
      podIPs: [{ ip: podIP }],
    },
  };
}

/** What made the pods of a workload: Deployments leave it to a ReplicaSet. */
export function controllerOf({ kind, name, labels }: PlannedWorkload): {
  readonly kind: string;
  readonly name: string;
} {
  const hash = labels["pod-template-hash"];
  return kind === "Deployment" ? { kind: "ReplicaSet", name: `${name}-${hash}` } : { kind, name };
}
