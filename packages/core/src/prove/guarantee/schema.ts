import { parseCidr } from "../../net/cidr.js";
import { cidr, labelKey, namespaceName } from "../../schema/formats.js";
import {
  any,
  type Constraint,
  type Fields,
  type Format,
  list,
  object,
  oneOf,
  onlyTrue,
  required,
  type Schema,
  type Static,
  string,
} from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { ownerModes } from "./claim.js";
import { parsePortRange } from "./port-range.js";

/** An object of a guarantee, which says what must hold and does not belong to any cluster. */
const part = <F extends Fields>(
  title: string,
  description: string,
  fields: F,
  constraints: readonly Constraint[] = [],
) => ({
  ...object(title, description, fields, constraints),
  ifDropped: "Otherwise, the guarantee does not state what it seems to state.",
});

const portRange: Format = {
  name: "port-range",
  patterns: ["^(ICMP|[0-9]{1,5}(-[0-9]{1,5})?(/(TCP|UDP|SCTP))?)$"],
  check: (text) =>
    parsePortRange(text) !== undefined
      ? []
      : [
          {
            code: "TW1503",
            message: `\`${text}\` is not a port; write \`443/TCP\`, \`8000-8999/TCP\` or \`ICMP\``,
          },
        ],
};

/** What API servers take at most: they estimate the cost of rules by the longest list. */
const crdMaxItems = 25;

const keys = (description: string) =>
  list(description, string("A label key.", { format: labelKey }), { minItems: 1, crdMaxItems });
const relative = ["self", "notSelf", "sameLabels", "notSameLabels"] as const;

const { matchLabels, matchExpressions } = labelSelector("").fields;
const namespaces = part(
  "a set of namespaces",
  "Namespaces by their labels (`{}` selects every namespace), or compared with the namespace of the other endpoint.",
  {
    matchLabels,
    matchExpressions,
    self: onlyTrue("The namespace of the other endpoint."),
    notSelf: onlyTrue("Every namespace except that of the other endpoint."),
    sameLabels: keys(
      "Namespaces in which each of these labels has the same value as in the namespace of the other endpoint.",
    ),
    notSameLabels: keys(
      "Namespaces that have the same value as the namespace of the other endpoint for none of these labels.",
    ),
  },
  [
    { kind: "at-most-one", of: [...relative, "matchLabels"] },
    { kind: "at-most-one", of: [...relative, "matchExpressions"] },
  ],
);

const pods = part("a set of pods", "Pods by namespace and labels, without host-network pods.", {
  namespaceSelector: namespaces,
  podSelector: required(labelSelector("Pods by their labels; `{}` selects every pod.")),
});

const cidrs = (description: string) =>
  list(description, string("A range, IPv4 or IPv6.", { format: cidr, maxLength: 43 }), {
    minItems: 1,
    crdMaxItems,
  });

const endpoint = part(
  "an endpoint",
  "The sources or destinations of connections, in every cluster.",
  {
    namespaces: namespaces,
    pods: pods,
    networks: cidrs("Every pod, node and external endpoint with an address in these ranges."),
    nodes: labelSelector("Nodes by their labels, and the host-network pods on them."),
    external: onlyTrue("Every address outside the cluster."),
    hostNetworkPods: onlyTrue("Every host-network pod."),
  },
  [{ kind: "exactly-one", of: ["namespaces", "pods", "networks", "nodes", "external", "hostNetworkPods"] }],
);

const assumption = part(
  "an assumption",
  "An assumption about every cluster. A proof holds only in clusters for which it is true.",
  {
    every: oneOf("The kind of object that the assumption is about.", ["namespace", "pod", "node"]),
    with: labelSelector("Only objects with these labels; by default, all of them."),
    has: labelSelector("The labels that each of these objects has."),
    only: list(
      "The only namespaces that have the labels of `namespacesWith`.",
      string("A name.", { format: namespaceName }),
      {
        minItems: 1,
      },
    ),
    namespacesWith: labelSelector("The labels that no other namespace has."),
    namespaces: list(
      "Namespaces whose labels are the same as in the input.",
      string("A name.", { format: namespaceName }),
      {
        minItems: 1,
      },
    ),
    are: oneOf("`as-deployed`: these namespaces have the labels that they have in the input.", [
      "as-deployed",
    ]),
    podCidrs: cidrs("Every pod has an address in these ranges, and no external endpoint has one."),
    nodeCidrs: cidrs("Every node has an address in these ranges, and no external endpoint has one."),
  },
  [
    { kind: "at-least-one", of: ["every", "only", "namespaces", "podCidrs", "nodeCidrs"] },
    ...["only", "namespaces", "podCidrs", "nodeCidrs"].map(
      (field): Constraint => ({ kind: "at-most-one", of: ["every", field] }),
    ),
    ...["namespaces", "podCidrs", "nodeCidrs"].map(
      (field): Constraint => ({ kind: "at-most-one", of: ["only", field] }),
    ),
    ...["podCidrs", "nodeCidrs"].map(
      (field): Constraint => ({ kind: "at-most-one", of: ["namespaces", field] }),
    ),
    ...(
      [
        ["every", "has"],
        ["has", "every"],
        ["with", "every"],
        ["only", "namespacesWith"],
        ["namespacesWith", "only"],
        ["namespaces", "are"],
        ["are", "namespaces"],
      ] as const
    ).map(([field, needs]): Constraint => ({ kind: "needs", field, needs: [needs] })),
  ],
);

const metadata = {
  ...part("metadata", "The name of the guarantee. Other fields are not read.", {
    name: required(string("The name of the guarantee.")),
    labels: any("Not read."),
    annotations: any("Not read."),
  }),
  open: true,
} as const;

const ports = (description: string) =>
  list(description, string("`443/TCP`, `8000-8999/TCP` or `ICMP`.", { format: portRange }), {
    minItems: 1,
    crdMaxItems: 100,
  });

export const guaranteeObject = part("a Guarantee", "What must hold in every cluster.", {
  apiVersion: required(string("`tierwall.dev/v1`.")),
  kind: required(string("`Guarantee`.")),
  metadata: required(metadata),
  spec: required(
    part(
      "the spec of a Guarantee",
      "Which connections must be allowed or denied in every cluster, whatever is deployed.",
      {
        given: list(
          "Files and folders with policies, relative to this file. Not used in a cluster, which has its own policies.",
          string("A path."),
        ),
        from: required(
          list(
            "The sources of the connections. In a file: one endpoint, or a list; in a cluster: always a list, `[{…}]`.",
            endpoint,
            {
              minItems: 1,
              crdMaxItems,
            },
          ),
        ),
        to: required(
          list(
            "The destinations of the connections. In a file: one endpoint, or a list; in a cluster: always a list, `[{…}]`.",
            endpoint,
            {
              minItems: 1,
              crdMaxItems,
            },
          ),
        ),
        ports: ports("Only these ports."),
        exceptPorts: ports(
          "All ports except these. Without `ports` and `exceptPorts`, every port of every protocol, including ICMP.",
        ),
        verdict: required(
          oneOf(
            "`Deny`: every one of these connections is denied, in at least one direction. `Allow`: every one is allowed in both directions, without conditions.",
            ["Allow", "Deny"],
          ),
        ),
        whatever: part(
          "whatever",
          "Which policies of namespace owners may change without breaking the guarantee.",
          {
            networkPolicies: oneOf(
              "`anything`: NetworkPolicies may be added, changed and deleted. `more`: those in the input stay, and others may be added. `as-written`: exactly those in the input.",
              ownerModes,
              "anything",
            ),
            ciliumNetworkPolicies: oneOf(
              "The same for CiliumNetworkPolicies. The default is that of `networkPolicies` if the input has Cilium policies, and `as-written` if not.",
              ownerModes,
            ),
          },
        ),
        assuming: list("Assumptions about every cluster.", assumption, { crdMaxItems }),
        onBreak: oneOf(
          "In a cluster, what the webhook does with a change that breaks the guarantee: `Warn` adds a warning, `Refuse` rejects the change. If it is not decided in time whether the change breaks it, both warn. Not used in files.",
          ["Warn", "Refuse"],
          "Warn",
        ),
      },
      [{ kind: "at-most-one", of: ["ports", "exceptPorts"] }],
    ),
  ),
  status: any("Written by the controller of a cluster, and not read."),
});

/** The schema, for the reference in docs/. */
export const guaranteeSchema: Schema = guaranteeObject;

export type WrittenGuarantee = Static<typeof guaranteeObject>;
export type WrittenEnd = Static<typeof endpoint>;
export type WrittenNamespaces = Static<typeof namespaces>;
export type WrittenAssumption = Static<typeof assumption>;

/** Checked by the schema. */
export const block = (text: string) => parseCidr(text)!;
