import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { child, items } from "./fields.js";
import { type Identified, readLabels } from "./identity.js";
import { type Pod, podKey, type Workload, type WorkloadRef } from "./model.js";
import { controllerOf, hasFinished, readPod, templateOf } from "./pod.js";

export const workloadKinds = [
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "ReplicationController",
] as const;

const isWorkloadKind = (kind: string): boolean => (workloadKinds as readonly string[]).includes(kind);

export interface PodsAndWorkloads {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly workloads: readonly Workload[];
}

/** Real pods first; a workload none of whose pods are in the input becomes one pod from its template. */
export function buildPods(objects: readonly Identified[], diagnostics: Diagnostic[]): PodsAndWorkloads {
  const byRef = new Map(objects.map((object) => [refKey(object), object]));
  const pods = new Map<string, Pod>();
  for (const { kind, namespace, name, labels, value } of objects) {
    if (kind !== "Pod" || hasFinished(child(value, "status"))) continue;
    const controller = controllerRef(value, namespace);
    const pod: Pod = {
      ...readPod({ namespace, name, labels }, child(value, "spec"), child(value, "status")),
      ...(controller === undefined ? {} : { controller, workload: rootOf(controller, labels, byRef) }),
    };
    pods.set(podKey(pod), pod);
  }

  const workloads = new Map<string, WorkloadRef & { pods: Pod[] }>();
  for (const pod of pods.values()) {
    if (pod.workload === undefined) continue;
    const known = workloads.get(refKey(pod.workload));
    if (known === undefined) workloads.set(refKey(pod.workload), { ...pod.workload, pods: [pod] });
    else known.pods.push(pod);
  }
  const havePods = new Set(
    [...pods.values()].flatMap(({ controller }) => (controller ? [refKey(controller)] : [])),
  );
  for (const object of objects) {
    const key = refKey(object);
    if (!isWorkloadKind(object.kind) || workloads.has(key) || havePods.has(key) || hasCompleted(object))
      continue;
    const owner = controllerRef(object.value, object.namespace);
    // What a controller has scaled to nothing is a memory of an earlier rollout.
    if (owner !== undefined && child(object.value, "spec").replicas === 0) continue;
    // What another workload of the input stands for is not made twice.
    if (owner !== undefined && byRef.has(refKey(owner))) continue;
    const pod = podFromTemplate(object, pods, diagnostics);
    pods.set(podKey(pod), pod);
    workloads.set(key, { ...pod.workload!, pods: [pod] });
  }
  return { pods, workloads: [...workloads.values()] };
}

function podFromTemplate(object: Identified, pods: ReadonlyMap<string, Pod>, diagnostics: Diagnostic[]): Pod {
  const { kind, namespace, name, value, source } = object;
  const workload: WorkloadRef = { kind, namespace, name };
  const template = templateOf(kind, value);
  const within = kind === "CronJob" ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"];
  const written = child(child(template, "metadata"), "labels");
  const labels = readLabels(written, [...within, "metadata", "labels"], source, diagnostics);
  const identity = {
    namespace,
    name: freeName(workload, pods),
    labels: { ...labels, ...labelsAddedBy(workload) },
  };
  return { ...readPod(identity, child(template, "spec"), {}), workload, fromTemplate: true };
}

/** The workload that a pod or workload is controlled by; what custom resources own belongs to itself. */
function controllerRef(value: JsonObject, namespace: string): WorkloadRef | undefined {
  const found = controllerOf(child(value, "metadata"));
  return found === undefined || !isWorkloadKind(found.kind) ? undefined : { ...found, namespace };
}

/** Follows controllers up: ReplicaSet → Deployment, Job → CronJob. */
function rootOf(
  controller: WorkloadRef,
  labels: Labels,
  byRef: ReadonlyMap<string, Identified>,
): WorkloadRef {
  const known = byRef.get(refKey(controller));
  if (known !== undefined) return controllerRef(known.value, known.namespace) ?? controller;
  // Without the ReplicaSet in the input, its name still tells: Deployments append the template's hash.
  const hash = labels["pod-template-hash"];
  if (controller.kind === "ReplicaSet" && hash !== undefined && controller.name.endsWith(`-${hash}`))
    return { ...controller, kind: "Deployment", name: controller.name.slice(0, -hash.length - 1) };
  return controller;
}

/** A finished Job starts no more pods. */
function hasCompleted({ kind, value }: Identified): boolean {
  const conditions = items(child(value, "status"), "conditions");
  const ended = conditions.filter((c) => c.type === "Complete" || c.type === "Failed");
  return kind === "Job" && ended.some((c) => c.status === "True");
}

/** Labels that controllers put on pods and that can be known beforehand. */
function labelsAddedBy({ kind, name }: WorkloadRef): Labels {
  return kind === "Job" ? { "batch.kubernetes.io/job-name": name, "job-name": name } : {};
}

/** A workload's pod goes by the workload's own name; the kind, and a number, are added where others have it. */
function freeName({ kind, namespace, name }: WorkloadRef, pods: ReadonlyMap<string, Pod>): string {
  const isFree = (candidate: string) => !pods.has(`${namespace}/${candidate}`);
  if (isFree(name)) return name;
  const withKind = `${name}-${kind.toLowerCase()}`;
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? withKind : `${withKind}-${i}`;
    if (isFree(candidate)) return candidate;
  }
}

export function refKey({ kind, namespace, name }: WorkloadRef): string {
  return `${kind} ${namespace}/${name}`;
}
