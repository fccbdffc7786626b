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
  ifDropped: "Left as it is, the guarantee would not say what it seems to say.",
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
  "Namespaces by their labels; `{}` is every namespace. Or namespaces in relation to that of the other end.",
  {
    matchLabels,
    matchExpressions,
    self: onlyTrue("The namespace of the other end."),
    notSelf: onlyTrue("Every other namespace than that of the other end."),
    sameLabels: keys("Namespaces that have each of these labels with the value it has at the other end."),
    notSameLabels: keys("Namespaces that share the value of the other end for none of these labels."),
  },
  [
    { kind: "at-most-one", of: [...relative, "matchLabels"] },
    { kind: "at-most-one", of: [...relative, "matchExpressions"] },
  ],
);

const pods = part("a set of pods", "Pods with a network of their own, by namespace and labels.", {
  namespaceSelector: namespaces,
  podSelector: required(labelSelector("Pods by their labels; `{}` is every pod.")),
});

const cidrs = (description: string) =>
  list(description, string("A range, IPv4 or IPv6.", { format: cidr, maxLength: 43 }), {
    minItems: 1,
    crdMaxItems,
  });

const end = part(
  "an end",
  "One end of a connection, in every cluster.",
  {
    namespaces: namespaces,
    pods: pods,
    networks: cidrs("Whatever has an address in these ranges: pods, nodes and external endpoints."),
    nodes: labelSelector("Nodes by their labels, with the host-network pods on them."),
    external: onlyTrue("Every address outside the cluster."),
    hostNetworkPods: onlyTrue("Every pod in the network of its node."),
  },
  [{ kind: "exactly-one", of: ["namespaces", "pods", "networks", "nodes", "external", "hostNetworkPods"] }],
);

const assumption = part(
  "an assumption",
  "What is assumed about every cluster. A proof holds only where this does.",
  {
    every: oneOf("What has such labels.", ["namespace", "pod", "node"]),
    with: labelSelector("Only those with such labels; all of them unless given."),
    has: labelSelector("The labels that each of them has."),
    only: list("The only namespaces that have such labels.", string("A name.", { format: namespaceName }), {
      minItems: 1,
    }),
    namespacesWith: labelSelector("The labels that no other namespace has."),
    namespaces: list(
      "Namespaces whose labels are those in the input.",
      string("A name.", { format: namespaceName }),
      {
        minItems: 1,
      },
    ),
    are: oneOf("What is known about them.", ["as-deployed"]),
    podCidrs: cidrs("Every pod has its address in here, and no external endpoint has."),
    nodeCidrs: cidrs("Every node has its address in here, and no external endpoint has."),
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
      "Which connections, and what must become of them whatever is deployed.",
      {
        given: list(
          "Files and folders with policies, relative to this file. Not used in a cluster, whose own policies are given.",
          string("A path."),
        ),
        from: required(
          list(
            "Sources of the connections. In a file: one end, or a list; in a cluster: always a list, `[{…}]`.",
            end,
            {
              minItems: 1,
              crdMaxItems,
            },
          ),
        ),
        to: required(
          list(
            "Destinations of the connections. In a file: one end, or a list; in a cluster: always a list, `[{…}]`.",
            end,
            {
              minItems: 1,
              crdMaxItems,
            },
          ),
        ),
        ports: ports("Only these ports."),
        exceptPorts: ports(
          "Every port but these. Without `ports`: every port of every protocol, ICMP included.",
        ),
        verdict: required(
          oneOf(
            "`Deny`: at least one direction denies every such connection. `Allow`: both directions allow every one, without conditions.",
            ["Allow", "Deny"],
          ),
        ),
        whatever: part(
          "whatever",
          "What the owners of namespaces may write, and the guarantee still holds.",
          {
            networkPolicies: oneOf(
              "`anything`: their NetworkPolicies may be added, changed and deleted. `more`: those in the input stay, others may be added. `as-written`: those in the input, and no others.",
              ownerModes,
              "anything",
            ),
            ciliumNetworkPolicies: oneOf(
              "The same for CiliumNetworkPolicies. Unless given: as `networkPolicies` if the input has policies of Cilium, and otherwise `as-written`.",
              ownerModes,
            ),
          },
        ),
        assuming: list("What is assumed about every cluster.", assumption, { crdMaxItems }),
        onBreak: oneOf(
          "In a cluster, what happens to a change of a policy that breaks the guarantee: `Warn` warns, `Refuse` refuses the change. If it is not decided in time whether the change breaks it, both warn. Not used in files.",
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
export type WrittenEnd = Static<typeof end>;
export type WrittenNamespaces = Static<typeof namespaces>;
export type WrittenAssumption = Static<typeof assumption>;

/** Checked by the schema. */
export const block = (text: string) => parseCidr(text)!;
