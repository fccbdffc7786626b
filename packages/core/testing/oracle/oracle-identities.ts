import type { Endpoint, PodEndpoint } from "../../src/evaluate/flow.js";
import type { LabelSelector } from "../../src/labels/requirement.js";
import type { Address } from "../../src/net/address.js";
import { isOneOf } from "./oracle-addresses.js";

/*
 * Cilium's selectors implemented as in Cilium itself (S7.4, S7.13 to S7.16): every endpoint has an identity, which is a
 * list of labels `source:key=value`, and a selector is a list of conditions on such labels. The dialect does not build
 * identities: it groups conditions by their subject.
 */

export interface IdentityLabel {
  readonly source: string;
  readonly key: string;
  readonly value: string;
}

export interface IdentityFacts {
  readonly clusterName: string;
  readonly apiServer: readonly Address[];
}

const label = (source: string, key: string, value = ""): IdentityLabel => ({ source, key, value });

export function oracleIdentity(
  end: Endpoint,
  subject: PodEndpoint,
  { clusterName, apiServer }: IdentityFacts,
  withNodeLabels: boolean,
): readonly IdentityLabel[] {
  if (end.kind === "pod") {
    const derived = {
      "io.kubernetes.pod.namespace": end.namespace.name,
      "io.cilium.k8s.policy.serviceaccount": end.pod.serviceAccount,
      "io.cilium.k8s.policy.cluster": clusterName,
    };
    const ofNamespace = Object.entries(end.namespace.labels).map(([key, value]) =>
      label("k8s", `io.cilium.k8s.namespace.labels.${key}`, value),
    );
    const own = Object.entries(end.pod.labels).filter(([key]) => !isDropped(key));
    return [
      ...own.map(([key, value]) => label("k8s", key, value)),
      ...Object.entries(derived).map(([key, value]) => label("k8s", key, value)),
      ...ofNamespace,
    ];
  }
  const addresses = end.kind === "node" ? end.node.addresses : [end.address];
  const server = addresses.some((address) => isOneOf(address, apiServer)) ? ["kube-apiserver"] : [];
  const names =
    end.kind === "external"
      ? ["world", `world-ipv${end.address.family}`]
      : [end.node.name === subject.pod.node ? "host" : "remote-node"];
  const ofNode =
    withNodeLabels && end.kind === "node"
      ? [
          ...Object.entries(end.node.labels ?? {}).map(([key, value]) => label("node", key, value)),
          label("k8s", "io.cilium.k8s.policy.cluster", clusterName),
        ]
      : [];
  return [...[...names, ...server].map((name) => label("reserved", name)), ...ofNode];
}

/** Prefixes of keys that a pod's identity does not have. */
const dropped = [
  "io.kubernetes",
  "io.cilium.k8s",
  "kubernetes.io",
  "k8s.io",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/job-completion-index",
  "batch.kubernetes.io/controller-uid",
  "pod-template-",
  "controller-revision-hash",
  "controller-uid",
  "annotation",
  "etcd_node",
  "topology.kubernetes.io",
];

const isDropped = (key: string): boolean =>
  dropped.some((start) => key.startsWith(start)) || key.includes("beta.kubernetes.io");

interface Condition {
  readonly source: string;
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export function conditionsOf({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): readonly Condition[] {
  const all = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: "In", values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  ];
  return all.map(({ key, ...rest }) => {
    const colon = key.indexOf(":");
    return colon === -1
      ? { source: "any", key, ...rest }
      : { source: key.slice(0, colon), key: key.slice(colon + 1), ...rest };
  });
}

export function isSelected(conditions: readonly Condition[], identity: readonly IdentityLabel[]): boolean {
  return conditions.every(({ source, key, operator, values }) => {
    const found = identity.find((one) => one.key === key && (source === "any" || one.source === source));
    const listed = found !== undefined && values.includes(found.value);
    return { In: listed, NotIn: !listed, Exists: found !== undefined, DoesNotExist: found === undefined }[
      operator
    ]!;
  });
}

/** What Cilium adds to the selector of an endpoint peer before it looks at identities. */
export function withImplied(
  conditions: readonly Condition[],
  namespace: string | undefined,
  clusterName: string,
): readonly Condition[] {
  if (conditions.some(({ source }) => source === "reserved")) return conditions;
  const named = (start: string) =>
    conditions.some(({ source, key }) => ["any", "k8s"].includes(source) && key.startsWith(start));
  const k8s = (key: string, operator: string, values: readonly string[]) => ({
    source: "k8s",
    key,
    operator,
    values,
  });
  const added: Condition[] = named("io.cilium.k8s.policy.cluster")
    ? []
    : [k8s("io.cilium.k8s.policy.cluster", "In", [clusterName])];
  if (!named("io.kubernetes.pod.namespace")) {
    if (namespace === undefined) added.push(k8s("io.kubernetes.pod.namespace", "Exists", []));
    else if (!named("io.cilium.k8s.namespace.labels."))
      added.push(k8s("io.kubernetes.pod.namespace", "In", [namespace]));
  }
  return [...conditions, ...added];
}
