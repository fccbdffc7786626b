import type { Labels } from "../labels/requirement.js";
import type { JsonObject } from "../manifest/document.js";
import { parseAddress, type Address } from "../net/address.js";
import { child, items, number, protocol, text } from "./fields.js";
import type { ContainerPort, Pod } from "./model.js";
import type { Shared } from "./shared.js";

/** A pod that is being built. There can be a hundred thousand, so fields are set in place. */
export type ReadPod = { -readonly [Field in keyof Pod]: Pod[Field] };

/** A pod, or the pod that a workload's template would make. */
export function readPod(
  identity: { namespace: string; name: string; labels: Labels },
  spec: JsonObject,
  status: JsonObject,
  shared: Shared,
): ReadPod {
  const node = text(spec, "nodeName");
  const hostAddresses = addressTexts(text(status, "hostIP"), items(status, "hostIPs"));
  const pod: ReadPod = {
    namespace: identity.namespace,
    name: identity.name,
    labels: identity.labels,
    addresses: parsed(addressTexts(text(status, "podIP"), items(status, "podIPs"))),
    hostAddresses: shared.value(`addresses ${hostAddresses.join()}`, () => parsed(hostAddresses)),
    hostNetwork: spec.hostNetwork === true,
    ports: sharedPorts(spec, shared),
    serviceAccount: shared.text(
      text(spec, "serviceAccountName") ?? text(spec, "serviceAccount") ?? "default",
    ),
  };
  if (node !== undefined) pod.node = shared.text(node);
  return pod;
}

function sharedPorts(spec: JsonObject, shared: Shared): readonly ContainerPort[] {
  const ports = portsOf(spec);
  return shared.value(`ports ${ports.map(portKey).join()}`, () => ports);
}

/** The length of the name keeps keys unambiguous. */
const portKey = ({ port, protocol: its, name }: ContainerPort): string =>
  name === undefined ? `${port}/${its}` : `${port}/${its}/${name.length}:${name}`;

function addressTexts(single: string | undefined, entries: readonly JsonObject[]): readonly string[] {
  const listed: string[] = [];
  for (const entry of entries) {
    const ip = text(entry, "ip");
    if (ip !== undefined) listed.push(ip);
  }
  return single === undefined || listed.includes(single) ? listed : [single, ...listed];
}

/** Growing lists reserve memory; these copies have their exact size. */
function parsed(texts: readonly string[]): readonly Address[] {
  const addresses = texts.map(parseAddress);
  return addresses.every((address) => address !== undefined)
    ? addresses
    : addresses.filter((address) => address !== undefined);
}

/** Ports of containers, and of sidecars, which are init containers that keep running. */
function portsOf(spec: JsonObject): readonly ContainerPort[] {
  const ports: ContainerPort[] = [];
  for (const container of items(spec, "containers")) addPorts(container, ports);
  for (const container of items(spec, "initContainers"))
    if (container.restartPolicy === "Always") addPorts(container, ports);
  return ports;
}

function addPorts(container: JsonObject, ports: ContainerPort[]): void {
  for (const entry of items(container, "ports")) {
    const port = number(entry, "containerPort");
    const name = text(entry, "name");
    if (port !== undefined)
      ports.push({ port, protocol: protocol(entry), ...(name === undefined ? {} : { name }) });
  }
}

/** S1.11: a pod that has finished is not an endpoint. */
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
