import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { type Labels, namespaceNameLabel } from "../labels/requirement.js";
import { isObject, type JsonObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { parseAddress } from "../net/address.js";
import { parseCidr } from "../net/cidr.js";
import { child, items, text, texts } from "./fields.js";
import {
  type CidrGroup,
  type Cluster,
  type Facts,
  type Namespace,
  type Node,
  type Pod,
  podKey,
  type Service,
  type ServiceEndpoint,
  type Workload,
  type WorkloadRef,
} from "./model.js";
import { controllerOf, hasFinished, readPod, templateOf } from "./pod.js";
import { readEndpointSlice, readService } from "./service.js";

/** The kinds a cluster is made of. `Namespaced` ones take the namespace `default` where none is given (S10.5). */
const clusterKinds: Readonly<Record<string, "Cluster" | "Namespaced">> = {
  "v1 Namespace": "Cluster",
  "v1 Node": "Cluster",
  "v1 Pod": "Namespaced",
  "v1 Service": "Namespaced",
  "v1 ReplicationController": "Namespaced",
  "discovery.k8s.io/v1 EndpointSlice": "Namespaced",
  "apps/v1 Deployment": "Namespaced",
  "apps/v1 ReplicaSet": "Namespaced",
  "apps/v1 StatefulSet": "Namespaced",
  "apps/v1 DaemonSet": "Namespaced",
  "batch/v1 Job": "Namespaced",
  "batch/v1 CronJob": "Namespaced",
  "cilium.io/v2 CiliumCIDRGroup": "Cluster",
  "cilium.io/v2alpha1 CiliumCIDRGroup": "Cluster",
};

export const workloadKinds = [
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "ReplicationController",
] as const;

export function isClusterKind(object: ManifestObject): boolean {
  return Object.hasOwn(clusterKinds, `${object.apiVersion} ${object.kind}`);
}

/** One object of the cluster with its identity read. */
interface Identified {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly value: JsonObject;
  readonly source: ManifestObject;
}

export interface Built {
  readonly cluster: Cluster;
  readonly diagnostics: readonly Diagnostic[];
}

/** Puts the objects of a cluster together. `policyNamespaces` are made up too where nothing defines them. */
export function buildCluster(
  objects: readonly ManifestObject[],
  facts: Facts,
  policyNamespaces: ReadonlySet<string>,
): Built {
  const diagnostics: Diagnostic[] = [];
  const identified = objects.flatMap((object) => identify(object, diagnostics));
  const ofKind = (kind: string) => identified.filter((object) => object.kind === kind);

  const namespaces = new Map<string, Namespace>();
  for (const { name, labels } of ofKind("Namespace"))
    namespaces.set(name, { name, labels: { ...labels, [namespaceNameLabel]: name } });

  const { pods, workloads } = buildPods(identified);
  for (const name of [
    ...new Set([...[...pods.values()].map((pod) => pod.namespace), ...policyNamespaces]),
  ].toSorted()) {
    if (namespaces.has(name)) continue;
    namespaces.set(name, { name, labels: { [namespaceNameLabel]: name } });
    diagnostics.push(
      diagnostic(
        "TW3001",
        `namespace \`${name}\` is not in the input; it is taken to have only its name as a label`,
      ),
    );
  }

  const nodes = new Map<string, Node>(
    ofKind("Node").map(({ name, labels, value }) => [
      name,
      { name, labels, addresses: nodeAddresses(value) },
    ]),
  );
  const cluster: Cluster = {
    namespaces,
    pods,
    nodes,
    services: buildServices(ofKind("Service"), ofKind("EndpointSlice")),
    workloads,
    cidrGroups: ofKind("CiliumCIDRGroup").map(readCidrGroup),
    facts: { ...facts, ...apiServerFrom(facts, ofKind("EndpointSlice")) },
  };
  return { cluster, diagnostics };
}

// S10.4, S10.5
function identify(source: ManifestObject, diagnostics: Diagnostic[]): Identified[] {
  const { value, kind, document, path } = source;
  const metadata = child(value, "metadata");
  const name = text(metadata, "name");
  if (name === undefined) {
    const found = metadata.name ?? null;
    if (typeof found === "boolean" || typeof found === "number")
      diagnostics.push(
        diagnostic("TW1201", `expected text, found \`${found}\`; put the name in quotes`, {
          place: document.placeOf([...path, "metadata", "name"]),
          object: kind,
          path: ["metadata", "name"],
        }),
      );
    else
      diagnostics.push(
        diagnostic("TW1101", `this ${kind} has no \`metadata.name\``, {
          place: document.placeOfKey([...path, "metadata"]),
          object: kind,
          path: ["metadata"],
        }),
      );
    return [];
  }
  const scope = clusterKinds[`${source.apiVersion} ${kind}`];
  const given = text(metadata, "namespace");
  if (scope === "Namespaced" && given === undefined)
    diagnostics.push(
      diagnostic("TW3002", "`metadata.namespace` is missing; it is read as `default`", {
        place: document.placeOfKey([...path, "metadata"]),
        object: `${kind} ${name}`,
        path: ["metadata"],
      }),
    );
  const namespace = scope === "Namespaced" ? (given ?? "default") : "";
  return [{ kind, namespace, name, labels: labelsOf(metadata, source, diagnostics), value, source }];
}

function labelsOf(
  metadata: JsonObject,
  source: ManifestObject,
  diagnostics: Diagnostic[],
  at: readonly (string | number)[] = ["metadata"],
): Labels {
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(child(metadata, "labels"))) {
    const path = [...at, "labels", key];
    if (typeof value === "string") labels[key] = value;
    else if (value === null) {
      labels[key] = "";
      diagnostics.push(
        diagnostic("TW2010", `label \`${key}\` has no value; it is read as the empty text`, {
          place: source.document.placeOfKey([...source.path, ...path]),
          object: source.kind,
          path,
        }),
      );
    } else
      diagnostics.push(
        diagnostic(
          "TW1201",
          `expected text, found ${typeof value === "object" ? "something else" : `\`${String(value)}\``}; put label values in quotes`,
          {
            place: source.document.placeOf([...source.path, ...path]),
            object: source.kind,
            path,
          },
        ),
      );
  }
  return labels;
}

/** Real pods first; a workload none of whose pods are in the input becomes one pod from its template. */
function buildPods(objects: readonly Identified[]): {
  pods: Map<string, Pod>;
  workloads: readonly Workload[];
} {
  const byRef = new Map(objects.map((object) => [refKey(object), object]));
  const pods = new Map<string, Pod>();
  for (const { kind, namespace, name, labels, value } of objects) {
    if (kind !== "Pod" || hasFinished(child(value, "status"))) continue;
    const pod = readPod(
      { namespace, name, labels },
      child(value, "spec"),
      child(value, "status"),
      ownerOf(value, namespace, labels, byRef),
    );
    pods.set(podKey(pod), pod);
  }

  const workloads = new Map<string, WorkloadRef & { pods: Pod[] }>();
  for (const pod of pods.values()) {
    if (pod.workload === undefined) continue;
    const known = workloads.get(refKey(pod.workload));
    if (known === undefined) workloads.set(refKey(pod.workload), { ...pod.workload, pods: [pod] });
    else known.pods.push(pod);
  }
  for (const object of objects) {
    const ref: WorkloadRef = { kind: object.kind, namespace: object.namespace, name: object.name };
    const isRoot =
      (workloadKinds as readonly string[]).includes(object.kind) &&
      controllerOf(child(object.value, "metadata")) === undefined;
    if (!isRoot || workloads.has(refKey(ref)) || hasCompleted(object)) continue;
    const template = templateOf(object.kind, object.value);
    const labels = { ...plainLabels(child(template, "metadata")), ...labelsAddedBy(ref) };
    const identity = { namespace: ref.namespace, name: freeName(ref, pods), labels };
    const pod: Pod = { ...readPod(identity, child(template, "spec"), {}, ref), fromTemplate: true };
    pods.set(podKey(pod), pod);
    workloads.set(refKey(ref), { ...ref, pods: [pod] });
  }
  return { pods, workloads: [...workloads.values()] };
}

/** Follows controllers up: Pod → ReplicaSet → Deployment, Pod → Job → CronJob. */
function ownerOf(
  value: JsonObject,
  namespace: string,
  labels: Labels,
  byRef: ReadonlyMap<string, Identified>,
): WorkloadRef | undefined {
  const direct = controllerOf(child(value, "metadata"));
  if (direct === undefined || !(workloadKinds as readonly string[]).includes(direct.kind)) return undefined;
  const parent = byRef.get(refKey({ ...direct, namespace }));
  const grandparent = parent && controllerOf(child(parent.value, "metadata"));
  if (grandparent !== undefined) return { ...grandparent, namespace };
  // Without the ReplicaSet in the input, its name still tells: Deployments append the template's hash.
  const hash = labels["pod-template-hash"];
  if (
    parent === undefined &&
    direct.kind === "ReplicaSet" &&
    hash !== undefined &&
    direct.name.endsWith(`-${hash}`)
  )
    return { kind: "Deployment", namespace, name: direct.name.slice(0, -hash.length - 1) };
  return { ...direct, namespace };
}

/** A finished Job starts no more pods. */
function hasCompleted({ kind, value }: Identified): boolean {
  return (
    kind === "Job" &&
    items(child(value, "status"), "conditions").some(
      (c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True",
    )
  );
}

/** Labels that controllers put on pods and that can be known beforehand. */
function labelsAddedBy({ kind, name }: WorkloadRef): Labels {
  return kind === "Job" ? { "batch.kubernetes.io/job-name": name, "job-name": name } : {};
}

/** A workload's pod goes by the workload's own name; the kind is added where two would share it. */
function freeName({ kind, namespace, name }: WorkloadRef, pods: ReadonlyMap<string, Pod>): string {
  return pods.has(`${namespace}/${name}`) ? `${name}-${kind.toLowerCase()}` : name;
}

function plainLabels(metadata: JsonObject): Labels {
  return Object.fromEntries(
    Object.entries(child(metadata, "labels")).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : value === null ? [[key, ""]] : [],
    ),
  );
}

function nodeAddresses(value: JsonObject) {
  return items(child(value, "status"), "addresses").flatMap(
    (entry) => parseAddress(text(entry, "address") ?? "") ?? [],
  );
}

function buildServices(services: readonly Identified[], slices: readonly Identified[]): readonly Service[] {
  const endpoints = new Map<string, ServiceEndpoint[]>();
  for (const { namespace, labels, value } of slices) {
    const slice = readEndpointSlice(labels, value);
    if (slice === undefined) continue;
    const key = `${namespace}/${slice.service}`;
    endpoints.set(key, [...(endpoints.get(key) ?? []), ...slice.endpoints]);
  }
  return services.map(({ namespace, name, labels, value }) => {
    const found = endpoints.get(`${namespace}/${name}`);
    return {
      ...readService(namespace, name, labels, value),
      ...(found === undefined ? {} : { endpoints: found }),
    };
  });
}

/** The EndpointSlice of default/kubernetes lists the API servers (S7.5). */
function apiServerFrom(facts: Facts, slices: readonly Identified[]): Pick<Facts, "apiServer"> {
  if (facts.apiServer !== undefined) return {};
  const found = slices
    .filter(({ namespace }) => namespace === "default")
    .flatMap(({ labels, value }) => readEndpointSlice(labels, value) ?? [])
    .filter(({ service }) => service === "kubernetes");
  return found.length === 0
    ? {}
    : { apiServer: found.flatMap(({ endpoints }) => endpoints.map(({ address }) => address)) };
}

function readCidrGroup({ name, labels, value }: Identified): CidrGroup {
  return {
    name,
    labels,
    cidrs: texts(child(value, "spec"), "externalCIDRs").flatMap((text) => parseCidr(text) ?? []),
  };
}

function refKey({ kind, namespace, name }: WorkloadRef): string {
  return `${kind} ${namespace}/${name}`;
}

/** Whether an object was read from an API server, which gives every object a uid. */
export function isFromCluster(object: ManifestObject): boolean {
  const { metadata } = object.value;
  return isObject(metadata) && typeof metadata.uid === "string";
}
