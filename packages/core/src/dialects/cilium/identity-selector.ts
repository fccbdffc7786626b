import { getOrInsert } from "../../collections/maps.js";
import {
  type LabelMatch,
  type Labels,
  type LabelSelector,
  namespaceNameLabel,
  namespaceNamed,
  type Requirement,
  selects,
  toMatch,
} from "../../labels/requirement.js";
import { type Entity, type Peer, type PodSelection, podsPeer } from "../../policy/model.js";
import { given } from "../../diagnostics/given.js";
import type { LowerOptions } from "../dialect.js";
import { type IdentityLabels, identityLabels } from "./identity-labels.js";

/*
 * Cilium's selectors choose identities, which are sets of labels with a source (S7.4, S7.13):
 *
 *   a pod                 k8s:…            its labels as far as they count (S7.15), and those that Cilium derives: its
 *                                          namespace, the labels of that, its service account, its cluster
 *   the pod's own node    reserved:host
 *   another node          reserved:remote-node       and node:… for `fromNodes` and `toNodes` (S7.14)
 *   an external address   reserved:world, and reserved:world-ipv4 or reserved:world-ipv6
 *   the API server        reserved:kube-apiserver    besides
 *
 * A key without source, and `any:`, means a label of any source.
 */

export const namespaceKey = "io.kubernetes.pod.namespace";
export const namespaceLabelPrefix = "io.cilium.k8s.namespace.labels.";
export const clusterKey = "io.cilium.k8s.policy.cluster";
const accountKey = "io.cilium.k8s.policy.serviceaccount";
const ciliumPrefix = "io.cilium.k8s";

/** What the meaning of selectors depends on: the name of this cluster, and which labels count. */
export interface Identities {
  readonly clusterName: string;
  readonly labels: IdentityLabels;
  readonly families: LowerOptions["ciliumFamilies"];
}

const made = new WeakMap<LowerOptions, Identities>();

export function identitiesFor(options: LowerOptions): Identities {
  const { ciliumClusterName: clusterName = "default", ciliumLabels = [], ciliumFamilies: families } = options;
  return getOrInsert(made, options, () => ({ clusterName, labels: identityLabels(ciliumLabels), families }));
}

/** A requirement on labels of one source, or of any. */
export interface IdentityRequirement extends Requirement {
  readonly source: string;
}

export function identityRequirements(selector: LabelSelector): readonly IdentityRequirement[] {
  return toMatch(selector).map((requirement) => ({ ...requirement, ...sourceAndKey(requirement.key) }));
}

export function sourceAndKey(text: string): { readonly source: string; readonly key: string } {
  const [, source = "any", key = text] = /^([a-z][a-z0-9-]*):(.*)$/.exec(text) ?? [];
  return { source, key };
}

/** S7.4: pods of the policy's own namespace; only the `k8s:` form of another namespace is replaced, as Cilium does. */
export function lowerIdentitySubject(
  selector: LabelSelector,
  namespace: string | undefined,
  identities: Identities,
): PodSelection {
  const labels = Object.entries(selector.matchLabels ?? {}).filter(
    ([key]) => namespace === undefined || key !== `k8s:${namespaceKey}`,
  );
  const written = identityRequirements({ ...selector, matchLabels: Object.fromEntries(labels) });
  const own = namespace === undefined ? [] : namespaceNamed(namespace);
  const found = podsWith(written, identities);
  if (found.kind === "none") return { namespaces: own, pods: noLabels(found.because) };
  const { namespaces, ...rest } = found.selection;
  return { namespaces: [...own, ...namespaces], ...rest };
}

/** S7.4, S7.13: pods, and with `reserved:` keys nodes and external addresses as well. */
export function lowerEndpoints(
  selector: LabelSelector,
  namespace: string | undefined,
  identities: Identities,
): readonly Peer[] {
  const written = identityRequirements(selector);
  const implied = impliedBy(written, namespace, identities);
  const pods = podsWith(written, identities);
  return [
    ...(pods.kind === "none" ? [] : [peerWith(pods.selection, implied)]),
    ...others([...implied, ...written], identities),
  ];
}

function peerWith(
  { namespaces, pods, account }: PodSelection,
  implied: readonly IdentityRequirement[],
): Peer {
  const own = implied.find(({ key, operator }) => key === namespaceKey && operator === "In");
  const home = own === undefined ? [] : namespaceNamed(own.values[0]!);
  return { ...podsPeer([...home, ...namespaces], pods), ...given({ account }) };
}

/** S7.4: what Cilium adds to the selector of a peer; nothing where it has a `reserved:` key. */
function impliedBy(
  written: readonly IdentityRequirement[],
  namespace: string | undefined,
  { clusterName }: Identities,
): readonly IdentityRequirement[] {
  if (written.some(({ source }) => source === "reserved")) return [];
  const names = (isMeant: (key: string) => boolean) =>
    written.some(({ source, key }) => isPodSource(source) && isMeant(key));
  const source = "k8s";
  const implied: IdentityRequirement[] = [];
  if (!names((key) => key === namespaceKey)) {
    if (namespace === undefined) implied.push({ source, key: namespaceKey, operator: "Exists", values: [] });
    else if (!names((key) => key.startsWith(namespaceLabelPrefix)))
      implied.push({ source, key: namespaceKey, operator: "In", values: [namespace] });
  }
  if (!names((key) => key === clusterKey))
    implied.push({ source, key: clusterKey, operator: "In", values: [clusterName] });
  return implied;
}

const isPodSource = (source: string): boolean => source === "any" || source === "k8s";

type PodsFound =
  | { readonly kind: "some"; readonly selection: PodSelection }
  /** No pod can have such labels. */
  | { readonly kind: "none"; readonly because: IdentityRequirement };

/** Groups the requirements by their subject; those that hold for every pod are left out. */
function podsWith(written: readonly IdentityRequirement[], { clusterName, labels }: Identities): PodsFound {
  const namespaces: Requirement[] = [];
  const pods: Requirement[] = [];
  const account: Requirement[] = [];
  for (const requirement of written) {
    const { source, key, operator, values } = requirement;
    const about = (name: string): Requirement => ({ key: name, operator, values });
    const known = knownOfPods(source, key, clusterName, labels);
    if (known !== undefined) {
      if (!selects([about(key)], known)) return { kind: "none", because: requirement };
    } else if (key === namespaceKey) namespaces.push(about(namespaceNameLabel));
    else if (key.startsWith(namespaceLabelPrefix))
      namespaces.push(about(key.slice(namespaceLabelPrefix.length)));
    else if (key === accountKey) account.push(about("serviceaccount"));
    else pods.push(about(key));
  }
  return { kind: "some", selection: { namespaces, pods, ...(account.length === 0 ? {} : { account }) } };
}

/** The label with this key, or none, where it is the same for every pod. */
function knownOfPods(
  source: string,
  key: string,
  clusterName: string,
  labels: IdentityLabels,
): Labels | undefined {
  // S7.15
  if (!isPodSource(source) || !labels.has(key)) return {};
  if (key === clusterKey) return { [key]: clusterName };
  const isDerived = key === accountKey || key.startsWith(namespaceLabelPrefix);
  // Cilium ignores labels of pods that look like its own.
  return key.startsWith(ciliumPrefix) && !isDerived ? {} : undefined;
}

/** A requirement that no labels match, in a form that every API has. */
const noLabels = ({ key }: Requirement): LabelMatch => [
  { key, operator: "Exists", values: [] },
  { key, operator: "DoesNotExist", values: [] },
];

type Reserved = Extract<Entity, "host" | "remote-node" | "world-ipv4" | "world-ipv6">;

/** S7.13: Cilium names the family where it serves both. If that is unknown, both labels count. */
function reservedLabels(entity: Reserved, families: Identities["families"]): readonly string[] {
  if (entity === "host" || entity === "remote-node" || families === "both") return [entity];
  return families === "one" ? ["world"] : ["world", entity];
}

/** Whether an identity matches only as the API server, or only if it is not the API server. */
type Held = { readonly apiServer?: boolean };

/** S7.13: nodes and external addresses whose identities have such labels. */
function others(requirements: readonly IdentityRequirement[], { families }: Identities): readonly Peer[] {
  const peer = (entity: Entity, held: Held | undefined): readonly Peer[] =>
    held === undefined ? [] : [{ kind: "entity", entity, ...held }];
  const held = (entity: Reserved) => heldBy(requirements, reservedLabels(entity, families));
  const [host, remote] = [held("host"), held("remote-node")];
  const [ipv4, ipv6] = [held("world-ipv4"), held("world-ipv6")];
  if ([host, remote, ipv4, ipv6].every((one) => one?.apiServer === true)) return peer("kube-apiserver", {});
  const isSame = ipv4 !== undefined && ipv6 !== undefined && ipv4.apiServer === ipv6.apiServer;
  return [
    ...peer("host", host),
    ...peer("remote-node", remote),
    ...(isSame ? peer("world", ipv4) : [...peer("world-ipv4", ipv4), ...peer("world-ipv6", ipv6)]),
  ];
}

function heldBy(requirements: readonly IdentityRequirement[], names: readonly string[]): Held | undefined {
  const labelled = (names: readonly string[]) =>
    requirements.every((requirement) =>
      selects(
        [requirement],
        requirement.source === "reserved" || requirement.source === "any"
          ? Object.fromEntries(names.map((name) => [name, ""]))
          : {},
      ),
    );
  const [plain, asServer] = [labelled(names), labelled([...names, "kube-apiserver"])];
  if (plain && asServer) return {};
  return plain || asServer ? { apiServer: asServer } : undefined;
}

/** S7.14: other nodes than the pod's own, by their labels. */
export function lowerNodes(selector: LabelSelector, { clusterName }: Identities): readonly Peer[] {
  const nodes: Requirement[] = [];
  const reserved: IdentityRequirement[] = [];
  for (const requirement of identityRequirements(selector)) {
    const { source, key, operator, values } = requirement;
    const about = { key, operator, values };
    if (isPodSource(source) && key === clusterKey) {
      if (!selects([about], { [key]: clusterName })) return [];
    } else if (source === "any" || source === "node") nodes.push(about);
    else reserved.push(requirement);
  }
  const held = heldBy(reserved, ["remote-node"]);
  if (held === undefined) return [];
  return [{ kind: "entity", entity: "remote-node", ...(nodes.length === 0 ? {} : { nodes }), ...held }];
}

/** S7.4: objects by their own labels only: Services, CIDR groups. */
export function lowerPlainSelector(selector: LabelSelector): LabelMatch {
  return toMatch(selector).map((requirement) => ({
    ...requirement,
    key: requirement.key.replace(/^(k8s|any):/, ""),
  }));
}
