import {
  type LabelMatch,
  type LabelSelector,
  namespaceNameLabel,
  namespaceNamed,
  type Requirement,
  toMatch,
} from "../../labels/requirement.js";
import type { Peer, PodSelection } from "../../policy/model.js";
import { labelKey, labelValue } from "../../schema/formats.js";
import { type Format, list, object, optional, required, string } from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";

/*
 * Cilium's label selectors look like Kubernetes' own, but their keys reach further (S7.4):
 *
 *   app, any:app, k8s:app                                        the pod's own label
 *   [k8s:]io.kubernetes.pod.namespace                            the name of its namespace
 *   [k8s:]io.cilium.k8s.namespace.labels.team                    a label of its namespace
 *   [k8s:]io.cilium.k8s.policy.serviceaccount                    its service account
 *   reserved:host, container:x                                   as written: no pod carries it
 */

const namespaceKey = "io.kubernetes.pod.namespace";
const namespaceLabelPrefix = "io.cilium.k8s.namespace.labels.";
const accountKey = "io.cilium.k8s.policy.serviceaccount";

const withSource = /^[a-z][a-z0-9-]*:/;

const ciliumLabelKey: Format = {
  name: "cilium-label-key",
  check: (text) => {
    const key = text.replace(withSource, "");
    // The label of a namespace may be as long as any other; Cilium's prefix does not count.
    const plain = key.startsWith(namespaceLabelPrefix) ? key.slice(namespaceLabelPrefix.length) : key;
    if (labelKey.check(plain).length === 0) return [];
    const expected = "a label key, with an optional source before it, as in `k8s:app.kubernetes.io/name`";
    return [{ code: "TW1301", message: `\`${text}\` is not a Cilium label key; it is ${expected}` }];
  },
};

const plainRequirement = labelSelector("").fields.matchExpressions.schema.items;

const requirement = object(
  plainRequirement.title,
  plainRequirement.description,
  {
    ...plainRequirement.fields,
    key: required(
      string("The label key the condition is about, with or without its source (`k8s:app`).", {
        format: ciliumLabelKey,
      }),
    ),
  },
  plainRequirement.constraints,
);

/** A label selector whose keys may name their source, the namespace and the service account (S7.4). */
export const ciliumSelector = (description: string) =>
  object("a Cilium label selector", description, {
    matchLabels: optional({
      type: "map",
      description:
        "Labels that must all be there with these values; `k8s:io.kubernetes.pod.namespace` is the namespace's name.",
      keys: ciliumLabelKey,
      values: labelValue,
    } as const),
    matchExpressions: optional(list("Conditions that must all hold.", requirement)),
  });

/** Objects by their own labels only: Services, CIDR groups. */
export function lowerPlainSelector(selector: LabelSelector): LabelMatch {
  return toMatch(selector).map((requirement) => ({ ...requirement, key: withoutSource(requirement.key) }));
}

/**
 * S7.4: the subject of a namespaced policy is always in the policy's own namespace. A namespace in its `matchLabels`
 * is replaced, as Cilium does; see `foreignNamespaceOf`.
 */
export function lowerSubject(selector: LabelSelector, namespace: string | undefined): PodSelection {
  if (namespace === undefined) return split(toMatch(selector));
  const labels = Object.entries(selector.matchLabels ?? {}).filter(([key]) => !namesNamespace(key));
  const { namespaces, ...rest } = split(toMatch({ ...selector, matchLabels: Object.fromEntries(labels) }));
  return { namespaces: [...namespaceNamed(namespace), ...namespaces], ...rest };
}

/** The key of `matchLabels` that names another namespace than the policy's own. */
export function foreignNamespaceOf(selector: LabelSelector, namespace: string): string | undefined {
  return Object.entries(selector.matchLabels ?? {}).find(
    ([key, value]) => namesNamespace(key) && value !== namespace,
  )?.[0];
}

/** S7.4: endpoint peers of a namespaced policy are in its own namespace, unless a namespace label is named. */
export function lowerEndpoints(selector: LabelSelector, namespace: string | undefined): Peer {
  const { namespaces, pods, account } = split(toMatch(selector));
  const own = namespace !== undefined && namespaces.length === 0 ? namespaceNamed(namespace) : [];
  return {
    kind: "pods",
    namespaces: { kind: "selector", match: [...own, ...namespaces] },
    pods: { kind: "selector", match: pods },
    ...(account === undefined ? {} : { account }),
  };
}

/** Sorts the requirements by what they are about. */
function split(match: LabelMatch): PodSelection {
  const namespaces: Requirement[] = [];
  const pods: Requirement[] = [];
  const account: Requirement[] = [];
  for (const requirement of match) {
    const key = withoutSource(requirement.key);
    if (key === namespaceKey) namespaces.push({ ...requirement, key: namespaceNameLabel });
    else if (key.startsWith(namespaceLabelPrefix))
      namespaces.push({ ...requirement, key: key.slice(namespaceLabelPrefix.length) });
    else if (key === accountKey) account.push({ ...requirement, key: "serviceaccount" });
    else pods.push({ ...requirement, key });
  }
  return { namespaces, pods, ...(account.length === 0 ? {} : { account }) };
}

const namesNamespace = (key: string): boolean => withoutSource(key) === namespaceKey;

/** Unprefixed keys mean any source, and pods have Kubernetes' labels only; other sources stay as they are. */
const withoutSource = (key: string): string => key.replace(/^(k8s|any):/, "");
