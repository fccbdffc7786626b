import { getOrInsert } from "../collections/maps.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { ownText } from "../manifest/own-text.js";
import { child, items } from "./fields.js";
import type { Identified } from "./identity.js";
import { type Pod, podKey, type Workload, type WorkloadRef } from "./model.js";
import { controllerOf, hasFinished, type ReadPod, readPod, templateOf } from "./pod.js";
import { readLabels, type Shared } from "./shared.js";

export const workloadKinds = [
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "ReplicationController",
] as const;

export const isWorkloadKind = (kind: string): boolean => (workloadKinds as readonly string[]).includes(kind);

/** A pod of the input with the names of what it is part of; undefined for one that has finished (S1.11). */
export function readPodObject(object: Identified, shared: Shared): ReadPod | undefined {
  const { value, labels } = object;
  const status = child(value, "status");
  if (hasFinished(status)) return undefined;
  const namespace = shared.text(object.namespace);
  const controller = sharedController(value, namespace, shared);
  const pod = readPod(
    { namespace, name: ownText(object.name), labels },
    child(value, "spec"),
    status,
    shared,
  );
  if (controller === undefined) return pod;
  // A later object of the input may show that its controller belongs to another.
  pod.workload = pod.controller = controller;
  return pod;
}

/** The workload at the top, as far as the pod itself names it. */
export function workloadByName({ controller, labels }: Pod, shared: Shared): WorkloadRef | undefined {
  return controller && sharedRef(rootOf(controller, labels, new Map()), shared);
}

/** Workloads with their pods; one none of whose pods are in the input becomes a pod from its template, added to `pods`. */
export function buildWorkloads(
  pods: Map<string, ReadPod>,
  objects: readonly Identified[],
  shared: Shared,
  diagnostics: Diagnostic[],
): readonly Workload[] {
  const byRef = new Map(objects.map((object) => [refKey(object), object]));
  const workloads = new Map<string, Gathered>();
  // Pods share their controller: what it belongs to is found once for all of them.
  const ofController = new Map<WorkloadRef, { readonly hash: string | undefined; readonly root: Gathered }>();
  for (const pod of pods.values()) {
    const { controller, labels } = pod;
    if (controller === undefined) continue;
    const hash = labels["pod-template-hash"];
    let known = ofController.get(controller);
    if (known === undefined || known.hash !== hash) {
      const ref = rootOf(controller, labels, byRef);
      const root = getOrInsert(workloads, refKey(ref), () => ({ ref: sharedRef(ref, shared), pods: [] }));
      known = { hash, root };
      ofController.set(controller, known);
    }
    pod.workload = known.root.ref;
    known.root.pods.push(pod);
  }
  const havePods = new Set([...ofController.keys()].map(refKey));
  for (const object of objects) {
    const key = refKey(object);
    if (!isWorkloadKind(object.kind) || workloads.has(key) || havePods.has(key) || hasCompleted(object))
      continue;
    const owner = controllerRef(object.value, object.namespace);
    // A controller that is scaled to zero is left from an earlier rollout.
    if (owner !== undefined && child(object.value, "spec").replicas === 0) continue;
    // A workload that belongs to another one of the input gets no pods of its own.
    if (owner !== undefined && byRef.has(refKey(owner))) continue;
    const pod = podFromTemplate(object, pods, shared, diagnostics);
    pods.set(podKey(pod), pod);
    workloads.set(key, { ref: pod.workload!, pods: [pod] });
  }
  return Array.from(workloads.values(), ({ ref, pods: its }) => ({ ...ref, pods: its }));
}

interface Gathered {
  readonly ref: WorkloadRef;
  readonly pods: Pod[];
}

function sharedController(pod: JsonObject, namespace: string, shared: Shared): WorkloadRef | undefined {
  const owner = controllerRef(pod, namespace);
  return owner && sharedRef(owner, shared);
}

function sharedRef(ref: WorkloadRef, shared: Shared): WorkloadRef {
  return shared.value(`ref ${refKey(ref)}`, () => ({
    kind: shared.text(ref.kind),
    namespace: shared.text(ref.namespace),
    name: shared.text(ref.name),
  }));
}

function podFromTemplate(
  object: Identified,
  pods: ReadonlyMap<string, Pod>,
  shared: Shared,
  diagnostics: Diagnostic[],
): Pod {
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
  return { ...readPod(identity, child(template, "spec"), {}, shared), workload, fromTemplate: true };
}

/** The workload that a pod or workload is controlled by; a workload that a custom resource owns is its own root. */
function controllerRef(value: JsonObject, namespace: string): WorkloadRef | undefined {
  const found = controllerOf(child(value, "metadata"));
  if (found === undefined || !isWorkloadKind(found.kind)) return undefined;
  return { kind: found.kind, namespace, name: found.name };
}

/** Follows controllers up: ReplicaSet → Deployment, Job → CronJob. */
function rootOf(
  controller: WorkloadRef,
  labels: Labels,
  byRef: ReadonlyMap<string, Identified>,
): WorkloadRef {
  const known = byRef.get(refKey(controller));
  if (known !== undefined) return controllerRef(known.value, known.namespace) ?? controller;
  // Without the ReplicaSet in the input, its name is used: Deployments append the template's hash.
  const hash = labels["pod-template-hash"];
  if (controller.kind === "ReplicaSet" && hash !== undefined && controller.name.endsWith(`-${hash}`))
    return { ...controller, kind: "Deployment", name: controller.name.slice(0, -hash.length - 1) };
  // The same for Jobs: CronJobs append the minute in which they were due.
  const [, cronJob, minute] = /^(.+)-(\d{8})$/.exec(controller.name) ?? [];
  if (controller.kind === "Job" && cronJob !== undefined && Number(minute) >= firstMinute)
    return { ...controller, kind: "CronJob", name: cronJob };
  return controller;
}

/** Minutes from 1970 to 2019. Dates in names have eight digits too, and are smaller numbers for centuries. */
const firstMinute = 25_771_680;

/** A finished Job starts no more pods. */
function hasCompleted({ kind, value }: Identified): boolean {
  const conditions = items(child(value, "status"), "conditions");
  const ended = conditions.filter((c) => c.type === "Complete" || c.type === "Failed");
  return kind === "Job" && ended.some((c) => c.status === "True");
}

/** Labels that controllers set on pods and that are known in advance. */
function labelsAddedBy({ kind, name }: WorkloadRef): Labels {
  return kind === "Job" ? { "batch.kubernetes.io/job-name": name, "job-name": name } : {};
}

/** A workload's pod has the name of the workload; the kind and a number are added if the name is taken. */
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
