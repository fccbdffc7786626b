import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { visible } from "../diagnostics/visible.js";
import type { Labels } from "../labels/requirement.js";
import { isObject, type JsonObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { namespaceName, objectName } from "../schema/formats.js";
import { locateProblem } from "../schema/locate-problem.js";
import { validate } from "../schema/validate.js";
import { at, notText, type Shared } from "./shared.js";
import { child } from "./fields.js";
import { clusterSchemaOf } from "./schema.js";

type Scope = "Cluster" | "Namespaced";

/** The kinds a cluster is made of. `Namespaced` ones take the namespace `default` where none is given (S10.5). */
export const clusterKinds: Readonly<Record<string, Scope>> = {
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

const scopes = new Map(Object.entries(clusterKinds));

export const clusterScopeOf = (apiVersion: string, kind: string): Scope | undefined =>
  scopes.get(`${apiVersion} ${kind}`);

export const isClusterKind = ({ apiVersion, kind }: ManifestObject): boolean =>
  clusterScopeOf(apiVersion, kind) !== undefined;

/** One object of the cluster with its identity read. An instance for the reason that `ReadObject` is one. */
export class Identified {
  readonly kind: string;
  readonly value: JsonObject;

  constructor(
    readonly source: ManifestObject,
    readonly namespace: string,
    readonly name: string,
    readonly labels: Labels,
  ) {
    this.kind = source.kind;
    this.value = source.value;
  }
}

// S10.4, S10.5
export function identify(
  source: ManifestObject,
  shared: Shared,
  diagnostics: Diagnostic[],
): Identified | undefined {
  const { value, kind } = source;
  const metadata = child(value, "metadata");
  // An API server has validated its objects; checking a hundred thousand pods again is not needed.
  const isWritten = !isFromCluster(source);
  if (isWritten) for (const found of checkShape(source)) diagnostics.push(found);
  const labels = shared.labels(child(metadata, "labels"), ["metadata", "labels"], source, diagnostics);
  const name = readName(metadata, "name", source, diagnostics);
  const given = readName(metadata, "namespace", source, diagnostics);
  if (name === undefined) return undefined;
  const namespaced = clusterScopeOf(source.apiVersion, kind) === "Namespaced";
  if (namespaced && (metadata.namespace ?? null) === null)
    diagnostics.push(
      diagnostic("TW3002", "`metadata.namespace` is missing; it is read as `default`", {
        ...at(source, ["metadata"], "key"),
      }),
    );
  return new Identified(source, namespaced ? (given ?? "default") : "", name, labels);
}

/** The string, or undefined with a diagnostic if it is not a string; a missing namespace is not an error. */
function readName(
  metadata: JsonObject,
  key: "name" | "namespace",
  source: ManifestObject,
  diagnostics: Diagnostic[],
): string | undefined {
  const found = metadata[key] ?? null;
  if (found === null || found === "") {
    if (key === "name")
      diagnostics.push(
        diagnostic("TW1101", `this ${source.kind} has no \`metadata.name\``, at(source, ["metadata"], "key")),
      );
    return undefined;
  }
  if (typeof found !== "string") {
    diagnostics.push(notText(found, source, ["metadata", key]));
    return undefined;
  }
  const format = key === "namespace" || source.kind === "Namespace" ? namespaceName : objectName;
  for (const { code, message } of format.check(found))
    diagnostics.push(diagnostic(code, message, at(source, ["metadata", key], "value")));
  return visible(found);
}

/** Fields that affect verdicts must be valid (S10.3). */
function checkShape(source: ManifestObject): readonly Diagnostic[] {
  return validate(clusterSchemaOf(source.kind), source.value).problems.map((problem) => {
    const { message, ...where } = locateProblem(problem, source.document, source.path);
    return diagnostic(problem.code, message, { ...at(source, problem.path, problem.at), ...where });
  });
}

/** Whether an object was read from an API server, which gives every object a uid. */
export function isFromCluster({ value }: Pick<ManifestObject, "value">): boolean {
  const { metadata } = value;
  return isObject(metadata) && typeof metadata.uid === "string";
}
