import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { given } from "../diagnostics/given.js";
import { getOrInsert, grouped } from "../collections/maps.js";
import { type Labels, namespaceNameLabel, unknownLabels } from "../labels/requirement.js";
import type { ManifestObject } from "../manifest/object.js";
import { type Address, type Family, formatAddress } from "../net/address.js";
import { parseCidr } from "../net/cidr.js";
import { child, texts } from "./fields.js";
import { type Identified, identify } from "./identity.js";
import {
  type CidrGroup,
  type Cluster,
  type Facts,
  type Namespace,
  type Node,
  type Pod,
  podKey,
  type Service,
} from "./model.js";
import { addHostAddresses, nodeWith, podRangesOf, readNode } from "./node.js";
import type { ReadPod } from "./pod.js";
import { readEndpointSlice, readService, serviceNameLabel } from "./service.js";
import { Shared } from "./shared.js";
import { buildWorkloads, readPodObject } from "./workload.js";

/** Addresses that each node gives its pods, from `spec.podCIDRs`; by name of the node. */
export type PodRanges = ReadonlyMap<string, readonly string[]>;

interface Built {
  readonly cluster: Cluster;
  readonly podRanges: PodRanges;
  readonly diagnostics: readonly Diagnostic[];
}

/** Builds a cluster from its objects, one after the other. Of a pod, only the fields that matter are kept. */
export class ClusterBuilder {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly shared = new Shared();
  private readonly pods = new Map<string, ReadPod>();
  private readonly others: Identified[] = [];

  add(object: ManifestObject): void {
    const identified = identify(object, this.shared, this.diagnostics);
    if (identified === undefined) return;
    if (identified.kind !== "Pod") {
      this.others.push(identified);
      return;
    }
    const pod = readPodObject(identified, this.shared);
    if (pod !== undefined) this.pods.set(podKey(pod), pod);
  }

  /** `policyNamespaces` are added if the input does not define them, like those of pods. */
  build(facts: Facts, policyNamespaces: ReadonlySet<string>): Built {
    const { pods, others, shared, diagnostics } = this;
    const ofKind = (kind: string) => others.filter((object) => object.kind === kind);
    const workloads = buildWorkloads(pods, others, shared, diagnostics);
    warnOfSharedAddresses(pods.values(), diagnostics);
    const needed = new Set(policyNamespaces);
    for (const { namespace } of pods.values()) needed.add(namespace);
    const cluster: Cluster = {
      namespaces: buildNamespaces(ofKind("Namespace"), needed, diagnostics),
      pods,
      nodes: buildNodes(ofKind("Node"), pods.values()),
      services: buildServices(ofKind("Service"), ofKind("EndpointSlice"), diagnostics),
      workloads,
      cidrGroups: ofKind("CiliumCIDRGroup").map(readCidrGroup),
      facts: { ...facts, ...apiServerFrom(facts, ofKind("EndpointSlice")) },
    };
    return { cluster, podRanges: buildPodRanges(ofKind("Node")), diagnostics };
  }
}

// S1.17
function warnOfSharedAddresses(pods: Iterable<Pod>, diagnostics: Diagnostic[]): void {
  const at: Readonly<Record<Family, Map<bigint, Pod[]>>> = { 4: new Map(), 6: new Map() };
  for (const pod of pods)
    for (const { family, value } of pod.hostNetwork ? [] : pod.addresses) {
      getOrInsert(at[family], value, () => []).push(pod);
    }
  for (const family of [4, 6] as const)
    for (const [value, sharing] of at[family]) {
      if (sharing.length === 1) continue;
      const names = sharing.map((pod) => `\`${podKey(pod)}\``).join(" and ");
      const address = formatAddress({ family, value });
      diagnostics.push(
        diagnostic("TW2040", `${names} report the same address \`${address}\``, {
          hint: "A connection is allowed only if it is allowed for each of these pods. Delete the pods that no longer exist.",
        }),
      );
    }
}

/** S1.10: each with its name as a label. Namespaces that are in use but not in the input are added. */
function buildNamespaces(
  written: readonly Identified[],
  needed: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, Namespace> {
  const namespaces = new Map<string, Namespace>();
  for (const { name, labels } of written) namespaces.set(name, namespaceOf(name, labels));
  for (const name of [...needed].toSorted()) {
    if (namespaces.has(name)) continue;
    namespaces.set(name, missingNamespace(name));
    diagnostics.push(madeUp(name));
  }
  return namespaces;
}

/** S1.10: with its name as a label, given or not. */
export function namespaceOf(name: string, labels: Labels): Namespace {
  return { name, labels: { ...labels, [namespaceNameLabel]: name } };
}

/** For evaluated policies it has only its name as a label; for foreign ones it may have any (S9.4). */
export function missingNamespace(name: string): Namespace {
  const { labels } = namespaceOf(name, {});
  return { name, labels: Object.defineProperty(labels, unknownLabels, { value: "" }), missing: true };
}

export function madeUp(namespace: string): Diagnostic {
  const message = `namespace \`${namespace}\` is not in the input; it is assumed to have no label except its name`;
  return diagnostic("TW3001", message);
}

/** Nodes of the input, and nodes that only pods mention: their labels are unknown, their addresses are known. */
function buildNodes(written: readonly Identified[], pods: Iterable<Pod>): ReadonlyMap<string, Node> {
  const nodes = new Map(written.map((object) => [object.name, readNode(object)]));
  const seen = new Map<string, Address[]>();
  for (const pod of pods) {
    if (pod.node === undefined) continue;
    const known = getOrInsert(seen, pod.node, () => []);
    addHostAddresses(known, pod);
  }
  for (const [name, addresses] of seen) nodes.set(name, nodeWith(name, nodes.get(name), addresses));
  return nodes;
}

const buildPodRanges = (nodes: readonly Identified[]): PodRanges =>
  new Map(
    nodes.map((node) => [node.name, podRangesOf(node)] as const).filter(([, ranges]) => ranges.length > 0),
  );

function buildServices(
  services: readonly Identified[],
  slices: readonly Identified[],
  diagnostics: Diagnostic[],
): readonly Service[] {
  const slicesOf = grouped(
    slices,
    ({ namespace, labels }) => `${namespace}/${labels[serviceNameLabel] ?? ""}`,
  );
  return services.map((service) => {
    const found = slicesOf.get(`${service.namespace}/${service.name}`);
    const endpoints = found?.flatMap((slice) => readEndpointSlice(slice)?.endpoints ?? []);
    return { ...readService(service, diagnostics), ...given({ endpoints }) };
  });
}

/** The EndpointSlice of default/kubernetes lists the API servers (S7.5). */
function apiServerFrom(facts: Facts, slices: readonly Identified[]): Pick<Facts, "apiServer"> {
  if (facts.apiServer !== undefined) return {};
  const found = slices
    .filter(({ namespace }) => namespace === "default")
    .flatMap((slice) => readEndpointSlice(slice) ?? [])
    .filter(({ service }) => service === "kubernetes");
  if (found.length === 0) return {};
  return { apiServer: found.flatMap(({ endpoints }) => endpoints.map(({ address }) => address)) };
}

export function readCidrGroup({ name, labels, value }: Identified): CidrGroup {
  const cidrs = texts(child(value, "spec"), "externalCIDRs").flatMap((text) => parseCidr(text) ?? []);
  return { name, labels, cidrs };
}
