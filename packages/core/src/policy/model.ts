import type { Place } from "../diagnostics/place.js";
import type { LabelMatch } from "../labels/requirement.js";
import type { Address } from "../net/address.js";
import type { Cidr } from "../net/cidr.js";

/*
 * The one model (docs/semantics.md, section 1). Every API is lowered to this, and nothing after this file knows which
 * API a rule came from, except through its origin.
 *
 *   direction ─┬─ tier "foreign"          rules of APIs that are not evaluated: Undecided (S9.3)
 *              ├─ tier "guardrail"        rules ……
 *              ├─ tier "admin"            rule, rule, rule …      first match decides (S1.1)
 *              ├─ tier "network-policy"   rules … + isolation     no match, but isolated: Deny (S1.2)
 *              └─ …                                               nothing anywhere: Allow (S1.3)
 */

export const directions = ["ingress", "egress"] as const;
export type Direction = (typeof directions)[number];
export type Action = "Allow" | "Deny" | "Pass";
export type Protocol = "TCP" | "UDP" | "SCTP" | "ICMP";
export type TransportProtocol = Exclude<Protocol, "ICMP">;

/** In evaluation order. After the last one comes the default: Allow. */
export const tierNames = [
  "foreign",
  "guardrail",
  "guardrail-allow",
  "admin",
  "network-policy",
  "baseline",
  "cluster-default",
] as const;
export type TierName = (typeof tierNames)[number];

export interface Tier {
  readonly name: TierName;
  readonly rules: readonly Rule[];
  readonly isolation: readonly Isolation[];
}

/** What the policies of a cluster mean: one list of tiers per direction. Empty tiers are left out. */
export type Tiers = Readonly<Record<Direction, readonly Tier[]>>;

export interface Rule {
  readonly subject: PodSelection;
  /** Any of them; an empty list matches nothing. */
  readonly peers: readonly Peer[];
  /** "every" is every port of every protocol, ICMP included (S1.7); an empty list matches nothing. */
  readonly ports: "every" | readonly PortMatch[];
  readonly action: Action;
  /** What else must hold before an Allow of this rule allows traffic (S7.7). */
  readonly condition?: Condition;
  /** The only rules that can deny a node its own pods (S7.8). */
  readonly bindsOwnNode?: true;
  /** Why this rule is not what was written: a part of it could not be understood (S3.6). */
  readonly failedClosed?: string;
  readonly origin: RuleOrigin;
}

/** S1.2: a pod selected here is denied what no rule of the tier matched. */
export interface Isolation {
  readonly subject: PodSelection;
  readonly origin: IsolationOrigin;
}

/** Pods by the labels of their namespace, their own, and (Cilium) their service account. Never host-network pods. */
export interface PodSelection {
  readonly namespaces: LabelMatch;
  readonly pods: LabelMatch;
  /** Requirements on the pseudo label `serviceaccount`. */
  readonly account?: LabelMatch;
}

export type Peer =
  | { readonly kind: "everything" }
  | {
      readonly kind: "pods";
      readonly namespaces: NamespaceSet;
      readonly pods: PodSet;
      readonly account?: LabelMatch;
    }
  | {
      readonly kind: "networks";
      readonly cidrs: readonly Cidr[];
      readonly except: readonly Cidr[];
      readonly reach: Reach;
    }
  | { readonly kind: "nodes"; readonly nodes: LabelMatch }
  | { readonly kind: "domains"; readonly patterns: readonly DomainPattern[]; readonly reach: Reach }
  | {
      readonly kind: "entity";
      readonly entity: Entity;
      /** Only nodes with such labels (S7.14). */
      readonly nodes?: LabelMatch;
      /** Only where it is the API server, or only where it is not (S7.13). */
      readonly apiServer?: boolean;
    }
  | { readonly kind: "endpoints"; readonly services: ServiceSelection }
  /** CiliumCIDRGroups, by name or labels; external addresses only. Without the objects it may match (S7.11). */
  | {
      readonly kind: "cidr-group";
      readonly name?: string;
      readonly labels?: LabelMatch;
      readonly except: readonly Cidr[];
    }
  /** Something outside any input decides what this is, such as a cloud provider's group (S7.11). */
  | { readonly kind: "unknown-set"; readonly what: string; readonly reach: Reach };

/** Whether addresses of pods and nodes count (S2.3, S3.4), or external ones only (S7.5). */
export type Reach = "every-address" | "external";

/** `self` and the label sets are relative to the subject pod (S5.4). */
export type NamespaceSet =
  | { readonly kind: "selector"; readonly match: LabelMatch }
  | { readonly kind: "self" }
  | { readonly kind: "not-self" }
  | { readonly kind: "same-labels"; readonly keys: readonly string[] }
  | { readonly kind: "not-same-labels"; readonly keys: readonly string[] };

/** Pods by labels alone. */
export const podsPeer = (namespaces: LabelMatch, pods: LabelMatch): Extract<Peer, { kind: "pods" }> => ({
  kind: "pods",
  namespaces: { kind: "selector", match: namespaces },
  pods: { kind: "selector", match: pods },
});

export type PodSet = Extract<NamespaceSet, { kind: "selector" | "same-labels" | "not-same-labels" }>;

/** Cilium's entities that can match something in a snapshot; "all" is the peer `everything`, "none" is no peer. */
export type Entity =
  | "world"
  | "world-ipv4"
  | "world-ipv6"
  | "cluster"
  | "host"
  | "remote-node"
  | "kube-apiserver";

/** Which Services' endpoints: by name, or by the labels of the Service; in one namespace, or in any. */
export interface ServiceSelection {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: LabelMatch;
}

/** `exact` one name; `subdomains` one or more labels in front; `pattern` Cilium's own wildcards (S8.1, S7.7). */
export type DomainPattern = { readonly kind: "exact" | "subdomains" | "pattern"; readonly text: string };

export type PortMatch =
  | {
      readonly kind: "range";
      readonly protocol: TransportProtocol;
      readonly first: number;
      readonly last: number;
    }
  /** Without a protocol, any port of that name (S1.8). */
  | { readonly kind: "named"; readonly name: string; readonly protocol?: TransportProtocol }
  /** Type 0 is every type (S7.11). */
  | { readonly kind: "icmp"; readonly family: Address["family"]; readonly type: number };

export type Condition =
  /** Only requests that match are allowed, unless the endpoint is not isolated: then they are only observed. */
  | { readonly kind: "l7"; readonly what: string }
  /** SNI, TLS, listeners: conditional in every state. */
  | { readonly kind: "always"; readonly what: string }
  /** Mutual authentication: whether it succeeds is unknown. */
  | { readonly kind: "authentication" }
  /** S9.3: an object of an API that is not evaluated. It may allow or deny what its rule matches. */
  | { readonly kind: "foreign"; readonly object: string; readonly group: string };

/** Whether a rule that matches may allow or deny the traffic (S7.7, S9.3). */
export const isUnsettled = ({ action, condition }: Rule): boolean =>
  action === "Allow" && (condition?.kind === "authentication" || condition?.kind === "foreign");

export type DialectId =
  | "network-policy"
  | "cluster-network-policy"
  | "admin-network-policy"
  | "kep-2091"
  | "first-draft"
  | "cilium"
  /** An API that Tierwall recognises and does not evaluate (S9.3). */
  | "foreign";

export interface PolicyRef {
  readonly dialect: DialectId;
  /** `networking.k8s.io` */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** As written; absent where the API has none. It does not determine the order alone (S1.12). */
  readonly priority?: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its uid and generation on an API server. Absent in files. */
  readonly stored?: { readonly uid: string; readonly generation: number };
  readonly place: () => Place | undefined;
}

export interface RuleOrigin {
  readonly policy: PolicyRef;
  readonly direction: Direction;
  /** 0-based, in its list. */
  readonly index: number;
  readonly name?: string;
  /** Not a rule of the policy, but of an implementation (S9.8): `Cilium 1.20, which …`. */
  readonly implementation?: string;
  /** Where the rule is in its object: `spec.ingress[0]`, `specs[1].egressDeny[0]`. */
  readonly path: string;
  /** S1.12: 0 first. Only in tiers that are ordered by priority. */
  readonly precedence?: number;
  readonly place: () => Place | undefined;
}

export type IsolationOrigin =
  | { readonly kind: "policy"; readonly policy: PolicyRef }
  /** `--cilium-enforcement always` isolates without any policy (S7.12). */
  | { readonly kind: "option"; readonly option: string };

/** `NetworkPolicy shop/allow-web`. */
export function formatPolicy(policy: Pick<PolicyRef, "kind" | "namespace" | "name">): string {
  if (policy.name === "") return policy.kind;
  return `${policy.kind} ${policy.namespace === undefined ? "" : `${policy.namespace}/`}${policy.name}`;
}
