import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { parseAddress, type Address } from "../net/address.js";
import { child, items, number, protocol, text } from "./fields.js";
import type { ContainerPort, Pod } from "./model.js";

/** A pod, or what a workload's template would make one. */
export function readPod(
  identity: { namespace: string; name: string; labels: Labels },
  spec: JsonObject,
  status: JsonObject,
): Pod {
  const node = text(spec, "nodeName");
  const hostNetwork = spec.hostNetwork === true;
  return {
    ...identity,
    addresses: addressesOf(status, "podIP"),
    hostAddresses: addressesOf(status, "hostIP"),
    hostNetwork,
    ports: portsOf(spec),
    serviceAccount: text(spec, "serviceAccountName") ?? text(spec, "serviceAccount") ?? "default",
    ...(node === undefined ? {} : { node }),
  };
}

function addressesOf(status: JsonObject, field: "podIP" | "hostIP"): readonly Address[] {
  const listed = items(status, `${field}s`).flatMap((entry) => text(entry, "ip") ?? []);
  const single = text(status, field);
  const all = single === undefined || listed.includes(single) ? listed : [single, ...listed];
  return all.flatMap((ip) => parseAddress(ip) ?? []);
}

/** Ports of containers, and of sidecars, which are init containers that keep running. */
function portsOf(spec: JsonObject): readonly ContainerPort[] {
  const sidecars = items(spec, "initContainers").filter((container) => container.restartPolicy === "Always");
  return [...items(spec, "containers"), ...sidecars].flatMap((container) =>
    items(container, "ports").flatMap((port) => {
      const containerPort = number(port, "containerPort");
      const name = text(port, "name");
      if (containerPort === undefined) return [];
      return { port: containerPort, protocol: protocol(port), ...(name === undefined ? {} : { name }) };
    }),
  );
}

/** S1.11: a pod that has finished is no endpoint. */
export function hasFinished(status: JsonObject): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** The controller in a pod's (or ReplicaSet's, or Job's) owner references. */
export function controllerOf(metadata: JsonObject): { kind: string; name: string } | undefined {
  const owner = items(metadata, "ownerReferences").find((reference) => reference.controller === true);
  const kind = owner && text(owner, "kind");
  const name = owner && text(owner, "name");
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** The template that a workload makes its pods from. */
export function templateOf(kind: string, object: JsonObject): JsonObject {
  const spec = child(object, "spec");
  return kind === "CronJob"
    ? child(child(child(spec, "jobTemplate"), "spec"), "template")
    : child(spec, "template");
}
