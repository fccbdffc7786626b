import type { Labels, LabelMatch } from "../labels/requirement.js";
import type { Address, Family } from "../net/address.js";
import type { Cidr } from "../net/cidr.js";

/** The endpoints of a cluster, and what is known about them. Policies are not part of it. */
export interface Cluster {
  readonly namespaces: ReadonlyMap<string, Namespace>;
  /** By `namespace/name`; only pods that can be an endpoint (S1.11). */
  readonly pods: ReadonlyMap<string, Pod>;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly services: readonly Service[];
  readonly workloads: readonly Workload[];
  readonly cidrGroups: readonly CidrGroup[];
  readonly facts: Facts;
}

export interface Namespace {
  readonly name: string;
  /** Always with `kubernetes.io/metadata.name` (S1.10). */
  readonly labels: Labels;
  /** Not in the input, but something in it is in this namespace. */
  readonly missing?: true;
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Empty for pods from a workload's template and pods that are still starting (S1.14). */
  readonly addresses: readonly Address[];
  readonly node?: string;
  readonly hostNetwork: boolean;
  readonly ports: readonly ContainerPort[];
  readonly serviceAccount: string;
  /** Addresses of the node it runs on, from its status. */
  readonly hostAddresses: readonly Address[];
  /** The workload at the top of its chain of owners, and the one that made it: a Deployment, and its ReplicaSet. */
  readonly workload?: WorkloadRef;
  readonly controller?: WorkloadRef;
  /** Made from a workload's template; represents all of its replicas. */
  readonly fromTemplate?: true;
}

export interface ContainerPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: "TCP" | "UDP" | "SCTP";
}

export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Workload extends WorkloadRef {
  readonly pods: readonly Pod[];
}

export interface Node {
  readonly name: string;
  /** Absent for a node that is not in the input and that only its pods mention. */
  readonly labels?: Labels;
  /** Those that it reports itself: a question about the node, without an address, is about these. */
  readonly addresses: readonly Address[];
  /** Others that are surely its own: of tunnels and bridges, as network plugins report them (S1.16). */
  readonly pluginAddresses?: readonly Address[];
  /** Where its pods should get their addresses from. What no pod has in there may be the node's (S1.16). */
  readonly podRanges?: readonly Cidr[];
}

export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Cluster, external and load-balancer addresses: all are rewritten before policy is applied (S1.9). */
  readonly addresses: readonly Address[];
  readonly ports: readonly ServicePort[];
  /** The address families it is reached by; empty if unknown. */
  readonly families: readonly Family[];
  /** Has no address of its own: its name resolves to the pods, and nothing is rewritten. */
  readonly headless: boolean;
  /** Absent where the EndpointSlices are maintained by hand. */
  readonly selector?: LabelMatch;
  /** From EndpointSlices; undefined where the input has none for this Service. */
  readonly endpoints?: readonly ServiceEndpoint[];
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly targetPort: number | string;
}

export interface ServiceEndpoint {
  readonly address: Address;
  /** `namespace/name` of the pod, where the slice says. */
  readonly pod?: string;
  /** By the name of the Service's port (`""` for a port without one); undefined where the slice lists none. */
  readonly ports?: Readonly<Record<string, number>>;
}

export interface CidrGroup {
  readonly name: string;
  readonly labels: Labels;
  readonly cidrs: readonly Cidr[];
}

/** Facts that manifests may not contain, given as options. Absent: unknown. */
export interface Facts {
  readonly podCidrs: readonly Cidr[];
  readonly serviceCidrs: readonly Cidr[];
  /** Addresses of the API server (S7.5). */
  readonly apiServer?: readonly Address[];
  /** Names and the addresses they resolve to (S8.3). */
  readonly dns?: readonly DnsRecord[];
}

export interface DnsRecord {
  readonly name: string;
  readonly addresses: readonly Address[];
}

export function podKey(pod: Pick<Pod, "namespace" | "name">): string {
  return `${pod.namespace}/${pod.name}`;
}
