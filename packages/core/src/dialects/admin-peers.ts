import { type LabelSelector, toMatch } from "../labels/requirement.js";
import { parseCidr } from "../net/cidr.js";
import { type DomainPattern, type Peer, type PodSelection, podsPeer } from "../policy/model.js";
import { cidr, domainName } from "../schema/formats.js";
import {
  type Constraint,
  type Fields,
  list,
  object,
  type ObjectSchema,
  required,
  type Schema,
  string,
} from "../schema/schema.js";
import { labelSelector } from "../schema/selector.js";

/*
 * Subjects and peers of the policy.networking.k8s.io APIs (sections 3 and 4), which differ in few places:
 * whether `pods` needs its namespaces, how many networks a peer accepts, and whether it can have domain names.
 */

const namespacedPods = <N extends Schema>(namespaceSelector: N) =>
  object(
    "a selection of pods",
    "Pods by their labels and the labels of their namespaces. Host-network pods are never selected.",
    {
      namespaceSelector,
      podSelector: required(
        labelSelector("The pods in those namespaces, by their labels; `{}` is every pod."),
      ),
    },
  );

/** S3.8: the seed's spelling and section 4. */
export const podsInNamespaces = namespacedPods(
  required(labelSelector("The namespaces of the pods, by their labels; `{}` is every namespace.")),
);

/** S3.8: ClusterNetworkPolicy as released. */
export const podsInAnyNamespace = namespacedPods(
  labelSelector("The namespaces of the pods, by their labels; every namespace if missing or `{}`."),
);

export const subject = <P extends ObjectSchema>(pods: P) =>
  object(
    "a subject",
    "The pods that the policy applies to. Host-network pods are never selected.",
    {
      namespaces: labelSelector(
        "All pods of these namespaces, by the labels of the namespace; `{}` is every pod.",
      ),
      pods: pods,
    },
    [
      {
        kind: "exactly-one",
        of: ["namespaces", "pods"],
        hint: "`namespaces: {}` is every pod of the cluster.",
      },
    ],
  );

/** Peers of both directions. */
export const podPeers = <P extends ObjectSchema>(pods: P) => ({
  namespaces: labelSelector(
    "All pods of these namespaces, by the labels of the namespace; `{}` is every pod of the cluster.",
  ),
  pods: pods,
});

/** Peers of egress rules. */
export const addressPeers = (maxNetworks: number, crdMaxNetworks = maxNetworks) => ({
  nodes: labelSelector("Nodes by their labels, including their host-network pods; `{}` is every node."),
  networks: list(
    "Ranges of addresses. They match external addresses, pods and nodes. To exclude pods, " +
      "put a rule with action Pass for them before this one.",
    string("An IPv4 or IPv6 range, as in `10.0.0.0/8` or `fd00::/8`. `0.0.0.0/0` does not include IPv6.", {
      format: cidr,
      maxLength: 43,
    }),
    { minItems: 1, maxItems: maxNetworks, crdMaxItems: crdMaxNetworks, set: true },
  ),
});

/** Peers of egress rules that allow (S8.2). */
export const domainPeers = {
  domainNames: list(
    "Destinations by DNS name; only in rules that allow traffic. This neither allows nor filters DNS itself.",
    string(
      "A name such as `example.com`, or `*.example.com` for its subdomains, without the domain itself.",
      {
        format: domainName,
      },
    ),
    { minItems: 1, maxItems: 25, set: true },
  ),
};

/** S3.8: exactly one field. */
export function peer<F extends Fields>(
  title: string,
  description: string,
  fields: F,
  constraints: readonly Constraint[] = [],
): ObjectSchema<F> {
  const hint = "Write several peers as several items; `namespaces: {}` is every pod of the cluster.";
  return object(title, description, fields, [
    { kind: "exactly-one", of: Object.keys(fields), hint },
    ...constraints,
  ]);
}

/** A peer or subject as written in a manifest. */
export interface AdminPeer {
  readonly namespaces?: LabelSelector;
  readonly pods?: { readonly namespaceSelector?: LabelSelector; readonly podSelector: LabelSelector };
  readonly nodes?: LabelSelector;
  readonly networks?: readonly string[];
  readonly domainNames?: readonly string[];
}

/** Undefined if no field is known: a newer API (S3.6). */
export function lowerSubject({ namespaces, pods }: AdminPeer): PodSelection | undefined {
  if (namespaces !== undefined) return { namespaces: toMatch(namespaces), pods: [] };
  if (pods === undefined) return undefined;
  return { namespaces: toMatch(pods.namespaceSelector ?? {}), pods: toMatch(pods.podSelector) };
}

/** Undefined if no field is known: a newer API (S3.6). */
export function lowerPeer(written: AdminPeer): Peer | undefined {
  const selection = lowerSubject(written);
  if (selection !== undefined) return podsPeer(selection.namespaces, selection.pods);
  const { nodes, networks, domainNames } = written;
  if (nodes !== undefined) return { kind: "nodes", nodes: toMatch(nodes) };
  // S3.4: any address, pods' included.
  if (networks !== undefined)
    return {
      kind: "networks",
      cidrs: networks.map((text) => parseCidr(text)!),
      except: [],
      reach: "every-address",
    };
  // S8.3: external addresses only: the owner of a name chooses what it resolves to.
  if (domainNames !== undefined)
    return { kind: "domains", patterns: domainNames.map(lowerDomain), reach: "external" };
  return undefined;
}

// S8.1: a trailing dot and case do not matter.
function lowerDomain(text: string): DomainPattern {
  const name = text.toLowerCase().replace(/\.$/, "");
  return name.startsWith("*.") ? { kind: "subdomains", text: name.slice(2) } : { kind: "exact", text: name };
}
