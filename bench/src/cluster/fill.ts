import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject, Manifest } from "../generate/json.js";
import { manifestsOf } from "../generate/manifests.js";
import type { Plan } from "../generate/plan.js";
import type { ApiServer } from "./api-server.js";
import { released } from "./released-spelling.js";

export const clusterPolicies = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";

/** Requests at a time: more do not make it faster. */
const atOnce = 16;

/** The path of a pod that was made. */
export function podPath({ metadata }: Manifest): string {
  const { namespace, name } = metadata as unknown as Names;
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

interface Names {
  readonly name: string;
  /** Of objects that are in one. */
  readonly namespace: string;
}

/** Creates all objects of a plan, and the definitions they need. Gives back its pods. */
export async function fill(server: ApiServer, plan: Plan): Promise<readonly Manifest[]> {
  await install(server);
  await server.send("POST", "/api/v1/namespaces", { metadata: { name: "tierwall-system" } });
  const manifests = [...manifestsOf(plan)];
  const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  for (const kind of ["Namespace", "Node", "NetworkPolicy", "ClusterNetworkPolicy", "Pod"])
    await inParallel(of(kind), async (manifest) => create(server, manifest));
  return of("Pod");
}

/** The same, but most objects go straight into the storage of the API server. */
export async function fillStorage(server: ApiServer, plan: Plan): Promise<void> {
  await install(server);
  await server.send("POST", "/api/v1/namespaces", { metadata: { name: "tierwall-system" } });
  const manifests = [...manifestsOf(plan)];
  await server.store(manifests.flatMap((manifest) => stored(manifest) ?? []));
  await inParallel(
    manifests.filter(({ kind }) => kind === "ClusterNetworkPolicy"),
    async (manifest) => create(server, manifest),
  );
}

const storageKeys: Readonly<Record<string, string>> = {
  Namespace: "namespaces",
  Node: "minions",
  NetworkPolicy: "networkpolicies",
  Pod: "pods",
};

function stored(manifest: Manifest): readonly [key: string, object: object][] | undefined {
  const { namespace, name } = manifest.metadata as unknown as Partial<Names>;
  const folder = storageKeys[manifest.kind];
  if (folder === undefined) return undefined;
  const object = accepted(manifest);
  const metadata = {
    ...(object.metadata as JsonObject),
    uid: randomUUID(),
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return [
    [
      ["/registry", folder, ...(namespace === undefined ? [] : [namespace]), name].join("/"),
      { ...object, metadata },
    ],
  ];
}

async function install(server: ApiServer): Promise<void> {
  const folder = new URL("../../../deploy/crds/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml")))
    await server.send(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      readFileSync(new URL(file, folder), "utf8"),
    );
  while (!(await server.send("GET", clusterPolicies).catch(() => false)))
    await new Promise((next) => setTimeout(next, 200));
}

async function create(server: ApiServer, manifest: Manifest): Promise<void> {
  const { status, ...object } = manifest;
  const { namespace, name } = manifest.metadata as unknown as Names;
  const collection = collections[manifest.kind]!(namespace);
  if (madeByItself.has(name)) await server.send("PATCH", `${collection}/${name}`, object);
  else await server.send("POST", collection, accepted(object));
  if (status !== undefined) await server.send("PATCH", `${collection}/${name}/status`, { status });
}

/** Namespaces that API servers have from the start. */
const madeByItself: ReadonlySet<string> = new Set([
  "default",
  "kube-system",
  "kube-public",
  "kube-node-lease",
]);

/** What an API server takes. */
function accepted(manifest: Manifest): JsonObject {
  if (manifest.kind === "Pod") return whole(manifest);
  return manifest.kind === "ClusterNetworkPolicy" ? released(manifest) : manifest;
}

const collections: Readonly<Record<string, (namespace: string) => string>> = {
  Namespace: () => "/api/v1/namespaces",
  Node: () => "/api/v1/nodes",
  NetworkPolicy: (namespace) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
  ClusterNetworkPolicy: () => clusterPolicies,
  Pod: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
};

/** With the fields that an API server requires, on which no verdict depends. */
function whole(pod: Manifest): JsonObject {
  const { ownerReferences, ...metadata } = pod.metadata;
  const owners = (ownerReferences ?? []) as readonly JsonObject[];
  const spec = pod.spec as JsonObject;
  const containers = (spec.containers ?? []) as readonly JsonObject[];
  return {
    ...pod,
    metadata: {
      ...metadata,
      ownerReferences: owners.map((owner) => ({ apiVersion: "apps/v1", uid: "bench", ...owner })),
    },
    spec: {
      ...spec,
      containers: containers.map((one, i) => ({ name: `container-${i}`, image: "none", ...one })),
    },
  };
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
