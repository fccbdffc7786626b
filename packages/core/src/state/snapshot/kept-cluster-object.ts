import { nodeAnnotations } from "../../cluster/node.js";
import { isObject, type Json, type JsonObject } from "../../manifest/document.js";
import type { Words } from "./words.js";

/*
 * Kubernetes' own objects, as far as snapshots and live states keep them: no code reads fields that are not listed here, about a
 * fifth of a pod. Those of other kinds than `same` identify their owner, and are renamed if that must be hidden.
 */

type Shape = "same" | "word" | "labels" | "name" | "uid" | { readonly [field: string]: Shape };

const metadata = {
  name: "name",
  namespace: "word",
  labels: "labels",
  uid: "uid",
  ownerReferences: { controller: "same", kind: "same", name: "name" },
} as const satisfies Shape;
const port: Shape = { name: "same", containerPort: "same", protocol: "same" };
const address: Shape = { ip: "same" };
const podSpec: Shape = {
  nodeName: "word",
  hostNetwork: "same",
  serviceAccountName: "word",
  serviceAccount: "word",
  containers: { ports: port },
  initContainers: { ports: port, restartPolicy: "same" },
};
const template: Shape = { metadata: { labels: "labels" }, spec: podSpec };
const own = { apiVersion: "same", kind: "same", metadata } as const;
const workload: Shape = {
  ...own,
  spec: { replicas: "same", template, jobTemplate: { spec: { template } } },
  status: { conditions: { type: "same", status: "same" } },
};

const shapes: Readonly<Record<string, Shape>> = {
  Namespace: own,
  Node: {
    ...own,
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(nodeAnnotations.map((key) => [key, "same"] as const)),
    },
    spec: { podCIDR: "same", podCIDRs: "same" },
    status: { addresses: { address: "same" } },
  },
  Pod: {
    ...own,
    spec: podSpec,
    status: { phase: "same", podIP: "same", podIPs: address, hostIP: "same", hostIPs: address },
  },
  Service: {
    ...own,
    spec: {
      clusterIP: "same",
      clusterIPs: "same",
      externalIPs: "same",
      loadBalancerIP: "same",
      ipFamilies: "same",
      selector: "labels",
      ports: { name: "same", port: "same", targetPort: "same", protocol: "same" },
    },
    status: { loadBalancer: { ingress: address } },
  },
  EndpointSlice: {
    ...own,
    addressType: "same",
    ports: { name: "same", port: "same", protocol: "same" },
    endpoints: {
      addresses: "same",
      conditions: { ready: "same" },
      targetRef: { kind: "same", name: "word", namespace: "word" },
    },
  },
  CiliumCIDRGroup: { ...own, spec: { externalCIDRs: "same" } },
};

/** Without `words`, nothing is hidden. */
export function keptClusterObject(object: JsonObject, words?: Words): JsonObject {
  const kind = typeof object.kind === "string" ? object.kind : "";
  const about = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(about.labels) ? about.labels : {};
  return within(object, shapes[kind] ?? workload, words, labels["pod-template-hash"]) as JsonObject;
}

function within(value: Json, shape: Shape, words: Words | undefined, templateHash: unknown): Json {
  if (typeof shape === "string")
    return shape === "same" || words === undefined ? value : redacted(value, shape, words, templateHash);
  if (Array.isArray(value)) return value.map((item: Json) => within(item, shape, words, templateHash));
  if (!isObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [field, inner] of Object.entries(shape))
    if (value[field] !== undefined) kept[field] = within(value[field], inner, words, templateHash);
  return kept;
}

function redacted(value: Json, shape: Shape, words: Words, templateHash: unknown): Json {
  if (shape === "uid") return "redacted";
  if (shape === "labels") return redactLabels(value, words);
  if (typeof value !== "string") return value;
  return shape === "name" ? words.objectName(value, templateHash) : words.word(value);
}

function redactLabels(labels: Json, words: Words): Json {
  if (!isObject(labels)) return labels;
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [
      words.labelKey(key),
      typeof value === "string" ? words.word(value) : value,
    ]),
  );
}
