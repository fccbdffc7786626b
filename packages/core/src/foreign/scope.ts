import {
  type LabelMatch,
  namespaceNamed,
  namespaceNameLabel,
  type Requirement,
  unknownLabels,
} from "../labels/requirement.js";
import { isObject, type JsonObject } from "../manifest/document.js";
import type { Direction, PodSelection } from "../policy/model.js";
import { type Alternatives, parseCalicoSelector, readSelector } from "./calico-selector.js";
import type { ForeignKind } from "./kinds.js";

/*
 * Which pods a foreign object may apply to, and in which directions (S9.4). The result is an overestimate: what is not
 * understood may select everything, and restrictions that are not read are ignored.
 */

export interface ForeignScope {
  /** Any of them; none where the object surely selects no pod. */
  readonly subjects: readonly PodSelection[];
  readonly directions: readonly Direction[];
  /** Whether it may apply to nodes as well. */
  readonly nodes: boolean;
}

export function scopeOf(kind: ForeignKind, object: JsonObject, namespace: string | undefined): ForeignScope {
  const spec = isObject(object.spec) ? object.spec : {};
  const { effect } = kind;
  const directions = effect.kind === "l3-l4" || effect.kind === "l7" ? effect.directions : both;
  const home = namespace === undefined ? [] : namespaceNamed(namespace);
  const read = readers[`${kind.group} ${kind.kind}`] ?? readers[kind.product];
  const scope: ForeignScope = {
    directions,
    subjects: [everyPod(home)],
    nodes: effect.kind === "host",
    ...read?.({ kind, spec, home, namespace }),
  };
  return { ...scope, subjects: scope.subjects.flatMap(possibly) };
}

/** The selection, and what it may select because the input does not contain all labels (S9.4). */
function possibly({ namespaces, pods }: PodSelection): readonly PodSelection[] {
  return [namespaces, ...inMissingNamespaces(namespaces)].flatMap((namespace) =>
    [pods, ...ofControllers(pods)].map((labels) => ({ namespaces: namespace, pods: labels })),
  );
}

/** Of a namespace that is not in the input, only the name is known. */
function inMissingNamespaces(match: LabelMatch): readonly LabelMatch[] {
  const unknown = match.filter(({ key, operator }) => key !== namespaceNameLabel && needsLabel(operator));
  if (unknown.length === 0) return [];
  return [[...match.filter((requirement) => !unknown.includes(requirement)), has(unknownLabels)]];
}

/** A pod that no controller has made, such as a template, may represent pods that have a controller's labels. */
function ofControllers(match: LabelMatch): readonly LabelMatch[] {
  const added = match.filter(({ key, operator }) => isAddedByController(key) && needsLabel(operator));
  if (added.length === 0) return [];
  const absent = new Set([...added.map(({ key }) => key), ...madeByController]);
  return [[...match.filter((requirement) => !added.includes(requirement)), ...Array.from(absent, hasNot)]];
}

/** The others hold if the label is absent, and stay as they are (S1.10). */
const needsLabel = (operator: Requirement["operator"]): boolean => operator === "In" || operator === "Exists";
const has = (key: string): Requirement => ({ key, operator: "Exists", values: [] });
const hasNot = (key: string): Requirement => ({ key, operator: "DoesNotExist", values: [] });

/** Pods of Deployments, and those of DaemonSets and StatefulSets, have one of these. */
const madeByController = ["pod-template-hash", "controller-revision-hash"];

const addedByControllers: ReadonlySet<string> = new Set([
  ...madeByController,
  "pod-template-generation",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
  "job-name",
  "controller-uid",
]);

const isAddedByController = (key: string): boolean =>
  addedByControllers.has(key) || key.startsWith("batch.kubernetes.io/");

interface Written {
  readonly kind: ForeignKind;
  readonly spec: JsonObject;
  /** Where the object is namespaced: that namespace. */
  readonly home: LabelMatch;
  readonly namespace: string | undefined;
}

type Reader = (written: Written) => Partial<ForeignScope>;

const both: readonly Direction[] = ["ingress", "egress"];
const everyPod = (namespaces: LabelMatch): PodSelection => ({ namespaces, pods: [] });
const nothing: Partial<ForeignScope> = { subjects: [] };

/** `spec.podSelector`, in the namespace of the object. */
const byPodSelector: Reader = ({ spec, home }) => ({
  subjects: [{ namespaces: home, pods: readSelector(spec.podSelector) ?? [] }],
});

function calico({ kind, spec, home }: Written): Partial<ForeignScope> {
  const isGlobal = kind.kind === "GlobalNetworkPolicy";
  // Host endpoints are then on the way of every pod's traffic, in either direction.
  if (isGlobal && onForwarded.some((field) => (spec[field] ?? false) !== false))
    return { subjects: [everyPod([])], directions: both, nodes: true };
  const namespaces = isGlobal ? namespacesOf(spec.namespaceSelector) : [home];
  const pods = calicoSelector(spec.selector);
  const subjects = namespaces.flatMap((namespace) =>
    pods.map((requirements) => podsOf(namespace, requirements)),
  );
  return { subjects, directions: listedTypes(spec.types) ?? both, ...(isGlobal ? { nodes: true } : {}) };
}

/** Fields of a GlobalNetworkPolicy that make it apply, at host endpoints, to traffic that is not the node's own. */
const onForwarded = ["applyOnForward", "preDNAT", "doNotTrack"] as const;

const calicoSelector = (value: unknown): Alternatives =>
  value === undefined ? [[]] : ((typeof value === "string" ? parseCalicoSelector(value) : undefined) ?? [[]]);

const namespacesOf = (value: unknown): readonly LabelMatch[] =>
  calicoSelector(value).map((requirements) =>
    requirements.flatMap((requirement) => {
      if (requirement.key === "projectcalico.org/name") return { ...requirement, key: namespaceNameLabel };
      return requirement.key.startsWith("projectcalico.org/") ? [] : requirement;
    }),
  );

/** Calico adds labels of its own to those of a pod; some of them are the namespace's. */
function podsOf(home: LabelMatch, requirements: readonly Requirement[]): PodSelection {
  const namespaces: Requirement[] = [...home];
  const pods: Requirement[] = [];
  for (const requirement of requirements) {
    const { key } = requirement;
    if (key === "projectcalico.org/namespace") namespaces.push({ ...requirement, key: namespaceNameLabel });
    else if (key === "pcns.projectcalico.org/name")
      namespaces.push({ ...requirement, key: namespaceNameLabel });
    else if (key.startsWith("pcns.projectcalico.org/")) continue;
    else if (key.startsWith("pcns.")) namespaces.push({ ...requirement, key: key.slice("pcns.".length) });
    else if (!key.startsWith("projectcalico.org/") && !key.startsWith("pcsa.")) pods.push(requirement);
  }
  return { namespaces, pods };
}

/** `types: [Ingress]`; undefined where it is not given or not understood. */
function listedTypes(value: unknown): readonly Direction[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const known: Readonly<Record<string, Direction>> = { Ingress: "ingress", Egress: "egress" };
  const found = value.map((type) => (typeof type === "string" ? known[type] : undefined));
  return found.includes(undefined) ? undefined : both.filter((direction) => found.includes(direction));
}

/** APIs without isolation: a direction without rules has no effect. */
const ruledDirections = (spec: JsonObject): readonly Direction[] =>
  both.filter((direction) => {
    const rules = spec[direction];
    return rules !== undefined && rules !== null && !(Array.isArray(rules) && rules.length === 0);
  });

function antrea({ spec, home }: Written): Partial<ForeignScope> {
  const rules = both.flatMap((direction) => listIn(spec, direction));
  const entries = [spec, ...rules].flatMap((holder) => (isObject(holder) ? listIn(holder, "appliedTo") : []));
  const pods = entries.filter((entry) => !isForNodes(entry));
  const subjects = entries.length === 0 ? [everyPod(home)] : pods.map((entry) => appliedTo(entry, home));
  return { subjects, directions: ruledDirections(spec), nodes: pods.length < entries.length };
}

/** Antrea accepts no other field next to it. */
const isForNodes = (entry: unknown): boolean =>
  isObject(entry) && entry.nodeSelector !== undefined && Object.keys(entry).length === 1;

function listIn(holder: JsonObject, key: string): readonly unknown[] {
  const value: unknown = holder[key];
  return Array.isArray(value) ? value : [];
}

function appliedTo(entry: unknown, home: LabelMatch): PodSelection {
  if (!isObject(entry)) return everyPod(home);
  const { podSelector, namespaceSelector, ...rest } = entry;
  // Groups, service accounts and Services are not looked up.
  if (Object.keys(rest).length > 0) return everyPod(home);
  const namespaces = namespaceSelector === undefined ? [] : (readSelector(namespaceSelector) ?? []);
  return { namespaces: [...home, ...namespaces], pods: readSelector(podSelector) ?? [] };
}

function awsClusterNetworkPolicy({ spec }: Written): Partial<ForeignScope> {
  return { subjects: [awsSubject(spec.subject)], directions: ruledDirections(spec) };
}

function awsSubject(subject: unknown): PodSelection {
  if (!isObject(subject) || Object.keys(subject).length !== 1) return everyPod([]);
  const { namespaces, pods } = subject;
  if (namespaces !== undefined) return everyPod(readSelector(namespaces) ?? []);
  if (!isObject(pods)) return everyPod([]);
  const { namespaceSelector, podSelector, ...rest } = pods;
  if (Object.keys(rest).length > 0) return everyPod([]);
  return { namespaces: readSelector(namespaceSelector) ?? [], pods: readSelector(podSelector) ?? [] };
}

/** `policyTypes` as in NetworkPolicy; without it, both directions. */
const awsApplicationNetworkPolicy: Reader = (written) => ({
  ...byPodSelector(written),
  directions: listedTypes(written.spec.policyTypes) ?? both,
});

/** A network in role Secondary is one more interface: traffic between pods does not use it. */
const userDefinedNetwork: Reader = ({ spec, home }) => {
  const network = isObject(spec.network) ? spec.network : spec;
  const roles = [network.layer2, network.layer3, network.localnet].flatMap((topology) =>
    isObject(topology) ? [topology.role] : [],
  );
  if (roles.length > 0 && roles.every((role) => role === "Secondary")) return nothing;
  const namespaces = spec.namespaceSelector === undefined ? [] : (readSelector(spec.namespaceSelector) ?? []);
  return { subjects: [everyPod([...home, ...namespaces])] };
};

/** A subnet limits traffic if it is private, has ACLs, or is part of another VPC than the default one. */
const kubeOvnSubnet: Reader = ({ spec }) => {
  const { private: isPrivate = false, acls = [], vpc = "" } = spec;
  const isOpen = isPrivate === false && Array.isArray(acls) && acls.length === 0;
  return isOpen && (vpc === "" || vpc === "ovn-cluster") ? nothing : {};
};

/** Policies of Istio's root namespace apply to the whole mesh. */
const istio: Reader = ({ spec, namespace, home }) => {
  const where = namespace === istioRoot ? [] : home;
  const selector = isObject(spec.selector)
    ? spec.selector
    : isObject(spec.workloadSelector)
      ? { matchLabels: spec.workloadSelector.labels }
      : undefined;
  return { subjects: [{ namespaces: where, pods: readSelector(selector) ?? [] }] };
};

const istioRoot = "istio-system";

/** Those that name Services or service accounts, or apply to a mesh: any pod. */
const anyPod: Reader = () => ({ subjects: [everyPod([])] });

/** By group and kind, or for all kinds of a product. Without one: every pod, or those of the object's namespace. */
const readers: Readonly<Record<string, Reader>> = {
  Calico: calico,
  Antrea: antrea,
  "networking.k8s.aws ClusterNetworkPolicy": awsClusterNetworkPolicy,
  "networking.k8s.aws ApplicationNetworkPolicy": awsApplicationNetworkPolicy,
  "vpcresources.k8s.aws SecurityGroupPolicy": byPodSelector,
  "networking.gke.io FQDNNetworkPolicy": byPodSelector,
  "k8s.ovn.org UserDefinedNetwork": userDefinedNetwork,
  "k8s.ovn.org ClusterUserDefinedNetwork": userDefinedNetwork,
  "kubeovn.io Subnet": kubeOvnSubnet,
  Istio: istio,
  "policy.linkerd.io Server": byPodSelector,
  Consul: anyPod,
  Kuma: anyPod,
  SMI: anyPod,
};
