import { labelKey } from "../../schema/formats.js";
import {
  type Constraint,
  type Violation,
  integer,
  lenient,
  list,
  object,
  oneOf,
  onlyTrue,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { policyWithSpec } from "../object.js";
import { policyPort } from "../policy-port.js";
import { distinctRuleNames } from "../rule-names.js";

const maxRules = 100;
const limit = { crdMaxItems: 100 };

const exactlyOne = (fields: object): Constraint => ({ kind: "exactly-one", of: Object.keys(fields) });

const labelKeys = (description: string) => list(description, string("A label key.", { format: labelKey }));

const subjectFields = {
  namespaceSelector: labelSelector("Every pod of the namespaces with these labels; `{}` is every namespace."),
  namespaceAndPodSelector: object(
    "a namespaceAndPodSelector",
    "Pods by their labels and the labels of their namespaces. Both fields are required.",
    {
      namespaceSelector: required(labelSelector("Namespaces by their labels; `{}` is every namespace.")),
      // S5.6
      podSelector: lenient(labelSelector("Pods of these namespaces by their own labels; `{}` is every pod.")),
    },
  ),
};

const subject = object(
  "a subject",
  "The pods this policy applies to: exactly one of the selectors. Host-network pods are never selected.",
  subjectFields,
  [exactlyOne(subjectFields)],
);

const namespaceSetFields = {
  self: onlyTrue("The namespace of the subject pod. Can only be `true`."),
  notSelf: onlyTrue("Every namespace except that of the subject pod. Can only be `true`."),
  namespaceSelector: labelSelector("Namespaces by their labels; `{}` is every namespace."),
  sameLabels: labelKeys(
    "Namespaces that have all of these labels with the same values as the subject's namespace. " +
      "Selects nothing if the subject's namespace lacks one of them, or if the list is empty.",
  ),
  notSameLabels: labelKeys(
    "Namespaces that have none of these labels with the same value as the subject's namespace. A namespace " +
      "without the label is selected. An empty list selects nothing.",
  ),
};

const namespaceSet = (description: string) =>
  object("a namespace set", description, namespaceSetFields, [exactlyOne(namespaceSetFields)]);

const podSetFields = {
  podSelector: labelSelector("Pods by their labels; `{}` is every pod."),
  sameLabels: labelKeys(
    "Pods that have all of these labels with the same values as the subject pod. " +
      "Selects nothing if the subject pod lacks one of them, or if the list is empty.",
  ),
  notSameLabels: labelKeys(
    "Pods that have none of these labels with the same value as the subject pod. A pod without the label " +
      "is selected. An empty list selects nothing.",
  ),
};

const peerFields = {
  namespaces: namespaceSet("Every pod of a set of namespaces. Exactly one field must be set."),
  namespacedPods: object(
    "namespacedPods",
    "Selected pods of a set of namespaces. Both fields are required.",
    {
      namespaces: required(namespaceSet("The namespaces of the pods. Exactly one field must be set.")),
      pods: required(
        object("a pod set", "The pods in these namespaces. Exactly one field must be set.", podSetFields, [
          exactlyOne(podSetFields),
        ]),
      ),
    },
  ),
};

// S5.7
const peer = object(
  "a peer",
  "Pods as the other endpoint: exactly one of the fields. External addresses, nodes and host-network pods " +
    "never match.",
  peerFields,
  [exactlyOne(peerFields)],
);

/** NetworkPolicy's port, except that it matches nothing without `port` (S5.5). */
const port = object(
  "a port",
  "A port or a range of ports of one protocol.",
  {
    protocol: policyPort.fields.protocol,
    port: {
      ...policyPort.fields.port,
      description:
        "A number, or the name of a container port of the destination. Without it the entry matches " +
        "nothing, unlike in a NetworkPolicy.",
    },
    endPort: policyPort.fields.endPort,
  },
  policyPort.constraints,
);

const l4Fields = {
  allPorts: onlyTrue("Every port of every protocol. Can only be `true`."),
  ports: list(
    "Ports of the destination, any of which may match. An empty list matches nothing.",
    port,
    limit,
  ),
};

const l4Selector = object(
  "an l4Selector",
  "The ports that the rule applies to: exactly one of the fields.",
  l4Fields,
  [exactlyOne(l4Fields)],
);

const ruleFields = {
  name: string("A name for reports; it should be unique in the policy."),
  action: required(
    oneOf(
      "Allow allows the traffic, Deny denies it, Pass skips all further rules of policies with a " +
        "positive priority and continues with the NetworkPolicies.",
      ["Allow", "Deny", "Pass"],
    ),
  ),
  l4Selector: required(l4Selector),
};

export const kepAdminNetworkPolicy = policyWithSpec(
  "AdminNetworkPolicy",
  "Cluster-wide rules of an administrator for traffic between pods, before NetworkPolicy or, at priority " +
    "0, after it. The policy does not isolate pods.",
  "Cluster",
  "The pods that the policy applies to, its priority, and its rules. The first rule that matches decides.",
  {
    priority: required(
      integer(
        "From 0 to 1000; the largest number is evaluated first. 0 is special: such a policy comes " +
          "after every NetworkPolicy.",
        { minimum: 0, maximum: 1000, mayGrow: true },
      ),
    ),
    subject: required(subject),
    ingress: list(
      "Rules for incoming connections of the subject, in order. At most 100 together with `egress`.",
      object("an ingress rule", "What to do with traffic from any of the peers to any of the ports.", {
        ...ruleFields,
        from: list(
          "Sources, any of which may match. If missing or empty, the rule matches nothing.",
          peer,
          limit,
        ),
      }),
      { crdMaxItems: maxRules },
    ),
    egress: list(
      "Rules for outgoing connections of the subject, in order. At most 100 together with `ingress`.",
      object("an egress rule", "What to do with traffic to any of the peers on any of the ports.", {
        ...ruleFields,
        to: list(
          "Destinations, any of which may match. If missing or empty, the rule matches nothing.",
          peer,
          limit,
        ),
      }),
      { crdMaxItems: maxRules },
    ),
  },
  [
    {
      kind: "custom",
      check: checkRuleCount,
      cel: {
        rule: `(has(self.ingress) ? size(self.ingress) : 0) + (has(self.egress) ? size(self.egress) : 0) <= ${maxRules}`,
        message: `at most ${maxRules} rules are allowed, ingress and egress together`,
      },
    },
    // S5.8
    distinctRuleNames,
  ],
);

export type Policy = Static<typeof kepAdminNetworkPolicy>;
export type Spec = Policy["spec"];
export type WrittenRule = NonNullable<Spec["ingress"]>[number] | NonNullable<Spec["egress"]>[number];
export type KepPeer = Static<typeof peer>;
export type KepPort = Static<typeof port>;

type Given = Readonly<Record<string, unknown>>;

// S5.6
function checkRuleCount({ ingress, egress }: Given): readonly Violation[] {
  const [incoming, outgoing] = [ingress, egress].map((rules) => (Array.isArray(rules) ? rules.length : 0));
  const total = incoming! + outgoing!;
  if (total <= maxRules) return [];
  return [
    {
      code: "TW1406",
      // The first one too many.
      path: incoming! > maxRules ? ["ingress", maxRules] : ["egress", maxRules - incoming!],
      message: `the policy has ${total} rules, ingress and egress together; at most ${maxRules} are allowed`,
      hint: "Split it into two policies with adjacent priorities.",
      readable: true,
    },
  ];
}
