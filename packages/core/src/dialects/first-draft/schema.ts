import { labelKey } from "../../schema/formats.js";
import {
  type Violation,
  list,
  nullable,
  object,
  oneOf,
  optional,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { policyObject } from "../object.js";
import { policyPort } from "../policy-port.js";

// S6.2
const appliedTo = object(
  "appliedTo",
  "The pods this policy applies to. Host-network pods are never selected.",
  {
    namespaceSelector: required(
      labelSelector("The namespaces it applies to, by their labels; `{}` is every namespace."),
    ),
    podSelector: optional(
      labelSelector(
        "Narrows it to the pods of these namespaces with these labels; all of them when missing.",
      ),
    ),
  },
);

// S6.4
const namespaces = object(
  "a namespaces field",
  "A set of namespaces, chosen in one of several ways.",
  {
    scope: required(
      oneOf(
        "How they are chosen. Self: the namespace of the subject pod at hand. Selector: by the " +
          "labels in `selector`. " +
          "SameLabels: those that have each of `labels` with the value that the subject's namespace has.",
        ["Self", "Selector", "SameLabels"],
      ),
    ),
    labels: optional(
      list(
        "Only with scope SameLabels, and needed there: the label keys to compare. Nothing is selected " +
          "where the subject's namespace lacks one of them, or where the list is empty.",
        string("A label key.", { format: labelKey }),
      ),
    ),
    selector: optional(
      labelSelector("Only with scope Selector, and needed there: namespaces by their labels."),
    ),
  },
  [
    {
      kind: "custom",
      check: checkScope,
      cel: {
        rule: "has(self.selector) == (self.scope == 'Selector') && has(self.labels) == (self.scope == 'SameLabels')",
        message:
          "scope Selector needs `selector`, scope SameLabels needs `labels`, and neither takes what is the other's",
      },
    },
  ],
);

// S6.4
const peer = object(
  "a peer",
  "Pods at the other end. External addresses, nodes and host-network pods never match.",
  {
    podSelector: optional(
      labelSelector(
        "Pods by their labels, in the namespaces that `namespaceSelector` or `namespaces` selects; " +
          "one of them must be there.",
      ),
    ),
    namespaceSelector: optional(
      labelSelector("Namespaces by their labels; `{}` is every namespace. Not beside `namespaces`."),
    ),
    namespaces: optional(namespaces),
  },
  [
    {
      kind: "at-least-one",
      of: ["podSelector", "namespaceSelector", "namespaces"],
      hint: "For every source or destination leave out the whole list.",
    },
    {
      kind: "needs",
      field: "podSelector",
      needs: ["namespaceSelector", "namespaces"],
      code: "TW1407",
      hint: "For every namespace write `namespaceSelector: {}`.",
    },
    { kind: "at-most-one", of: ["namespaceSelector", "namespaces"] },
  ],
);

const limit = { crdMaxItems: 100 };

const ports = optional(
  list(
    "Ports of the destination, any of which may match; every port when missing or empty.",
    policyPort,
    limit,
  ),
);
const from = optional(
  list(
    "Sources, any of which may match; every source, external ones too, when missing or empty.",
    peer,
    limit,
  ),
);
const to = optional(
  list(
    "Destinations, any of which may match; every destination, external ones too, when missing or empty.",
    peer,
    limit,
  ),
);

const action = required(
  oneOf(
    "Empower exempts the traffic from all Deny rules, Deny drops it, Allow lets it through whatever " +
      "NetworkPolicy says. " +
      "In the whole cluster all Empower rules come first, then all Deny rules, then all Allow rules.",
    ["Empower", "Deny", "Allow"],
  ),
);

export const firstDraftClusterNetworkPolicy = policyObject(
  "ClusterNetworkPolicy",
  "Cluster-wide rules of an administrator that no NetworkPolicy can override. It isolates nothing by itself.",
  "Cluster",
  {
    spec: required(
      object(
        "a ClusterNetworkPolicy's spec",
        "Which pods, and the rules for them; their order does not matter.",
        {
          appliedTo: required(appliedTo),
          ingress: optional(
            list(
              "Rules for what comes in.",
              object(
                "an ingress rule",
                "What to do with traffic from any of the peers to any of the ports.",
                { action, ports, from },
              ),
              limit,
            ),
          ),
          egress: optional(
            list(
              "Rules for what goes out.",
              object("an egress rule", "What to do with traffic to any of the peers on any of the ports.", {
                action,
                ports,
                to,
              }),
              limit,
            ),
          ),
        },
      ),
    ),
  },
);

export const clusterDefaultNetworkPolicy = policyObject(
  "ClusterDefaultNetworkPolicy",
  "What pods may do that no NetworkPolicy speaks of: like a NetworkPolicy, but for the whole " +
    "cluster, and overridden by any.",
  "Cluster",
  {
    spec: required(
      object("a ClusterDefaultNetworkPolicy's spec", "Which pods, and what they may do by default.", {
        appliedTo: required(appliedTo),
        // S6.5: a key with nothing after it isolates.
        ingress: nullable(
          list(
            "What may come in. Where this key stands, even with nothing after it, all else is denied " +
              "by default.",
            object("an ingress rule", "Allows what comes from any of the peers to any of the ports.", {
              ports,
              from,
            }),
            limit,
          ),
        ),
        egress: nullable(
          list(
            "What may go out. Where this key stands, even with nothing after it, all else is denied " +
              "by default.",
            object("an egress rule", "Allows what goes to any of the peers on any of the ports.", {
              ports,
              to,
            }),
            limit,
          ),
        ),
      }),
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
        `\`${field}\` means nothing with scope \`${scope}\`; ` +
        `it belongs to scope \`${field === "labels" ? "SameLabels" : "Selector"}\``,
    }));
  if (own !== undefined && !(own in value))
    found.push({
      code: "TW1211",
      path: ["scope"],
      at: "key",
      message: `scope \`${scope}\` needs \`${own}\` beside it`,
    });
  return found;
}
