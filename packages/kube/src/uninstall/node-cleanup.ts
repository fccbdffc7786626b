import type { Json, JsonObject } from "@tierwall/core/manifest";
import { listAt, textAt, valueAt } from "../cluster/object-fields.js";

/*
 * How far the DaemonSet has got that removes the rules of the agents from the nodes (install/cleanup.ts). One of its pods is Ready
 * when nothing of Tierwall is left in the kernel of its node.
 */

export interface NodeCleanup {
  readonly clean: readonly string[];
  /** Nodes that are not Ready: no pod can be started there, and none is waited for. */
  readonly unreachable: readonly string[];
  /** By node, what is waited for. */
  readonly pending: ReadonlyMap<string, string>;
}

export interface ObservedCleanup {
  readonly daemonSet: JsonObject;
  /** All of the namespace: those of the DaemonSet, and those of agents that have not ended yet. */
  readonly pods: readonly JsonObject[];
  readonly nodes: readonly JsonObject[];
}

/** Undefined until the controller of DaemonSets has made a pod for every node. */
export function nodeCleanup({ daemonSet, pods, nodes }: ObservedCleanup): NodeCleanup | undefined {
  const uid = valueAt(daemonSet, "metadata", "uid");
  const own = pods.filter(
    (pod) => ownerOf(pod) === uid && valueAt(pod, "metadata", "deletionTimestamp") === undefined,
  );
  const agents = pods.filter(
    (pod) => valueAt(pod, "metadata", "labels", "app.kubernetes.io/component") === "agent",
  );
  const wanted = valueAt(daemonSet, "status", "desiredNumberScheduled");
  const isObserved =
    valueAt(daemonSet, "status", "observedGeneration") === valueAt(daemonSet, "metadata", "generation");
  if (!isObserved || typeof wanted !== "number" || own.length < wanted) return undefined;
  const ready = new Set(
    nodes.filter((node) => isReady(node)).map((node) => valueAt(node, "metadata", "name")),
  );
  const [clean, unreachable]: [string[], string[]] = [[], []];
  const pending = new Map<string, string>();
  for (const pod of own) {
    const node = nodeOf(pod);
    if (isReady(pod)) clean.push(node);
    else if (!ready.has(node)) unreachable.push(node);
    else if (agents.some((agent) => nodeOf(agent) === node)) pending.set(node, "its agent has not ended yet");
    else pending.set(node, reasonOf(pod));
  }
  return { clean: clean.toSorted(), unreachable: unreachable.toSorted(), pending };
}

const ownerOf = (pod: JsonObject): Json | undefined =>
  valueAt(listAt(pod, "metadata", "ownerReferences")[0], "uid");

const isReady = (object: JsonObject): boolean =>
  listAt(object, "status", "conditions").some(
    (condition) => valueAt(condition, "type") === "Ready" && valueAt(condition, "status") === "True",
  );

/** A pod of a DaemonSet names its node before it is scheduled: in the affinity that its controller gave it. */
function nodeOf(pod: JsonObject): string {
  const scheduled = textAt(pod, "spec", "nodeName");
  if (scheduled !== "") return scheduled;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const [term] = listAt(pod, "spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms");
  const [field] = listAt(term, "matchFields");
  const [node] = listAt(field, "values");
  return typeof node === "string" ? node : "";
}

/** What the kubelet reports about a container that does not run, such as `ErrImagePull`. */
function reasonOf(pod: JsonObject): string {
  const containers = ["initContainerStatuses", "containerStatuses"].flatMap((list) =>
    listAt(pod, "status", list),
  );
  const reasons = containers.map((status) => valueAt(status, "state", "waiting", "reason"));
  const reason = reasons.find((one) => typeof one === "string" && one !== "PodInitializing");
  return typeof reason === "string" ? reason : "its pod has not been started yet";
}
