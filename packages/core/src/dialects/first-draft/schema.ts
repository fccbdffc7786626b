import { labelKey } from "../../schema/formats.js";
import {
  type Violation,
  list,
  nullable,
  object,
  oneOf,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { policyWithSpec } from "../object.js";
import { policyPort } from "../policy-port.js";

// S6.2
const appliedTo = object(
  "appliedTo",
  "The pods this policy applies to. Host-network pods are never selected.",
  {
    namespaceSelector: required(
      labelSelector("The namespaces it applies to, by their labels; `{}` is every namespace."),
    ),
    podSelector: labelSelector("Selects pods of these namespaces by their labels; all of them if missing."),
  },
);

// S6.4
const namespaces = object(
  "a namespaces field",
  "A set of namespaces, selected in one of several ways.",
  {
    scope: required(
      oneOf(
        "How the namespaces are selected. Self: the namespace of the subject pod. Selector: by the " +
          "labels in `selector`. " +
          "SameLabels: those that have each of `labels` with the same value as the subject's namespace.",
        ["Self", "Selector", "SameLabels"],
      ),
    ),
    labels: list(
      "The label keys to compare; required with scope SameLabels, not allowed otherwise. Selects nothing " +
        "if the subject's namespace lacks one of them, or if the list is empty.",
      string("A label key.", { format: labelKey }),
    ),
    selector: labelSelector(
      "Namespaces by their labels; required with scope Selector, not allowed otherwise.",
    ),
  },
  [
    {
      kind: "custom",
      check: checkScope,
      cel: {
        rule: "has(self.selector) == (self.scope == 'Selector') && has(self.labels) == (self.scope == 'SameLabels')",
        message:
          "scope Selector needs `selector`, scope SameLabels needs `labels`, and neither accepts the field of the other",
      },
    },
  ],
);

// S6.4
const peer = object(
  "a peer",
  "Pods as the other endpoint. External addresses, nodes and host-network pods never match.",
  {
    podSelector: labelSelector(
      "Pods by their labels, in the namespaces that `namespaceSelector` or `namespaces` selects; " +
        "one of them must be set.",
    ),
    namespaceSelector: labelSelector(
      "Namespaces by their labels; `{}` is every namespace. Cannot be combined with `namespaces`.",
    ),
    namespaces: namespaces,
  },
  [
    {
      kind: "at-least-one",
      of: ["podSelector", "namespaceSelector", "namespaces"],
      hint: "For every source or destination, leave out the whole list.",
    },
    {
      kind: "needs",
      field: "podSelector",
      needs: ["namespaceSelector", "namespaces"],
      code: "TW1407",
      hint: "For every namespace, write `namespaceSelector: {}`.",
    },
    { kind: "at-most-one", of: ["namespaceSelector", "namespaces"] },
  ],
);

const limit = { crdMaxItems: 100 };

const ports = list(
  "Ports of the destination, any of which may match; every port if missing or empty.",
  policyPort,
  limit,
);
const from = list(
  "Sources, any of which may match; every source, including external ones, if missing or empty.",
  peer,
  limit,
);
const to = list(
  "Destinations, any of which may match; every destination, including external ones, if missing or empty.",
  peer,
  limit,
);

const action = required(
  oneOf(
    "Empower exempts the traffic from all Deny rules, Deny denies it, and Allow allows it regardless of " +
      "NetworkPolicies. " +
      "In the whole cluster, all Empower rules come first, then all Deny rules, then all Allow rules.",
    ["Empower", "Deny", "Allow"],
  ),
);

export const firstDraftClusterNetworkPolicy = policyWithSpec(
  "ClusterNetworkPolicy",
  "Cluster-wide rules of an administrator that no NetworkPolicy can override. The policy does not isolate pods.",
  "Cluster",
  "The pods that the policy applies to, and its rules; the order of the rules does not matter.",
  {
    appliedTo: required(appliedTo),
    ingress: list(
      "Rules for incoming connections.",
      object("an ingress rule", "What to do with traffic from any of the peers to any of the ports.", {
        action,
        ports,
        from,
      }),
      limit,
    ),
    egress: list(
      "Rules for outgoing connections.",
      object("an egress rule", "What to do with traffic to any of the peers on any of the ports.", {
        action,
        ports,
        to,
      }),
      limit,
    ),
  },
);

export const clusterDefaultNetworkPolicy = policyWithSpec(
  "ClusterDefaultNetworkPolicy",
  "The default for pods that no NetworkPolicy applies to: like a NetworkPolicy for the whole " +
    "cluster. Any NetworkPolicy overrides it.",
  "Cluster",
  "The pods that the policy applies to, and the connections that it allows.",
  {
    appliedTo: required(appliedTo),
    // S6.5: a key with nothing after it isolates.
    ingress: nullable(
      list(
        "Allowed incoming connections. If this field is present, even if empty, all others are denied " +
          "by default.",
        object("an ingress rule", "Allows connections from any of the peers to any of the ports.", {
          ports,
          from,
        }),
        limit,
      ),
    ),
    egress: nullable(
      list(
        "Allowed outgoing connections. If this field is present, even if empty, all others are denied " +
          "by default.",
        object("an egress rule", "Allows connections to any of the peers on any of the ports.", {
          ports,
          to,
        }),
        limit,
      ),
    ),
  },
);

export type ClusterNetworkPolicy = Static<typeof firstDraftClusterNetworkPolicy>;
export type ClusterDefaultNetworkPolicy = Static<typeof clusterDefaultNetworkPolicy>;
export type AppliedTo = Static<typeof appliedTo>;
export type DraftPeer = Static<typeof peer>;
export type DraftPort = Static<typeof policyPort>;

/** The field each scope goes with. */
const fieldOfScope = { Self: undefined, Selector: "selector", SameLabels: "labels" } as const;

function checkScope(value: Readonly<Record<string, unknown>>): readonly Violation[] {
  const scope = value.scope as keyof typeof fieldOfScope | undefined;
  if (scope === undefined) return [];
  const own = fieldOfScope[scope];
  const found: Violation[] = ["selector", "labels"]
    .filter((field) => field !== own && field in value)
    .map((field) => ({
      code: "TW1408",
      path: [field],
      at: "key",
      message:
        `\`${field}\` is not allowed with scope \`${scope}\`; ` +
        `it belongs to scope \`${field === "labels" ? "SameLabels" : "Selector"}\``,
    }));
  if (own !== undefined && !(own in value))
    found.push({
      code: "TW1211",
      path: ["scope"],
      at: "key",
      message: `scope \`${scope}\` requires \`${own}\``,
    });
  return found;
}
