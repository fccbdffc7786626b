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
  optional,
  required,
  type Static,
  string,
} from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { policyObject } from "../object.js";
import { policyPort } from "../policy-port.js";
import { distinctRuleNames } from "../rule-names.js";

const maxRules = 100;
const limit = { crdMaxItems: 100 };

const exactlyOne = (fields: object): Constraint => ({ kind: "exactly-one", of: Object.keys(fields) });

const labelKeys = (description: string) => list(description, string("A label key.", { format: labelKey }));

const subjectFields = {
  namespaceSelector: optional(
    labelSelector("Every pod of the namespaces with these labels; `{}` is every namespace."),
  ),
  namespaceAndPodSelector: optional(
    object("a namespaceAndPodSelector", "Some pods of some namespaces. Both parts must be given.", {
      namespaceSelector: required(labelSelector("Namespaces by their labels; `{}` is every namespace.")),
      // S5.6
      podSelector: lenient(labelSelector("Pods of these namespaces by their own labels; `{}` is every pod.")),
    }),
  ),
};

const subject = object(
  "a subject",
  "The pods this policy applies to: exactly one of the selectors. Host-network pods are never selected.",
  subjectFields,
  [exactlyOne(subjectFields)],
);

const namespaceSetFields = {
  self: optional(onlyTrue("The namespace of the subject pod at hand. Only `true` can be written.")),
  notSelf: optional(
    onlyTrue("Every namespace but that of the subject pod at hand. Only `true` can be written."),
  ),
  namespaceSelector: optional(labelSelector("Namespaces by their labels; `{}` is every namespace.")),
  sameLabels: optional(
    labelKeys(
      "Namespaces that have every one of these labels, each with the value that the subject's namespace " +
        "has. Nothing where the subject's namespace lacks one of them, or where the list is empty.",
    ),
  ),
  notSameLabels: optional(
    labelKeys(
      "Namespaces that have none of these labels with the value that the subject's namespace has; one " +
        "without the label is selected. Nothing where the list is empty.",
    ),
  ),
};

const namespaceSet = (description: string) =>
  object("a namespace set", description, namespaceSetFields, [exactlyOne(namespaceSetFields)]);

const podSetFields = {
  podSelector: optional(labelSelector("Pods by their labels; `{}` is every pod.")),
  sameLabels: optional(
    labelKeys(
      "Pods that have every one of these labels, each with the value that the subject pod has. " +
        "Nothing where the subject pod lacks one of them, or where the list is empty.",
    ),
  ),
  notSameLabels: optional(
    labelKeys(
      "Pods that have none of these labels with the value that the subject pod has; one without the label " +
        "is selected. Nothing where the list is empty.",
    ),
  ),
};

const peerFields = {
  namespaces: optional(namespaceSet("Every pod of a set of namespaces: exactly one way to choose them.")),
  namespacedPods: optional(
    object("namespacedPods", "Some pods of a set of namespaces. Both parts must be given.", {
      namespaces: required(namespaceSet("The namespaces to look in: exactly one way to choose them.")),
      pods: required(
        object("a pod set", "The pods in these namespaces: exactly one way to choose them.", podSetFields, [
          exactlyOne(podSetFields),
        ]),
      ),
    }),
  ),
};

// S5.7
const peer = object(
  "a peer",
  "Pods at the other end: exactly one of the fields. External addresses, nodes and host-network pods " +
    "never match.",
  peerFields,
  [exactlyOne(peerFields)],
);

/** NetworkPolicy's port in all but one thing: without `port` it matches nothing (S5.5). */
const port = object(
  "a port",
  "A port or a range of ports of one protocol.",
  {
    protocol: policyPort.fields.protocol,
    port: optional({
      ...policyPort.fields.port.schema,
      description:
        "A number, or the name of a container port of the destination. Without it the entry matches " +
        "nothing, unlike a NetworkPolicy's.",
    }),
    endPort: policyPort.fields.endPort,
  },
  policyPort.constraints,
);

const l4Fields = {
  allPorts: optional(onlyTrue("Every port of every protocol. Only `true` can be written.")),
  ports: optional(
    list("Ports of the destination, any of which may match. An empty list matches nothing.", port, limit),
  ),
};

const l4Selector = object(
  "an l4Selector",
  "The ports the rule is about: exactly one of the fields.",
  l4Fields,
  [exactlyOne(l4Fields)],
);

const ruleFields = {
  name: optional(string("A name for people and reports; it should not stand twice in one policy.")),
  action: required(
    oneOf(
      "Allow lets the traffic through, Deny drops it, Pass skips all further rules of policies with a " +
        "positive priority and leaves the traffic to NetworkPolicy.",
      ["Allow", "Deny", "Pass"],
    ),
  ),
  l4Selector: required(l4Selector),
};

export const kepAdminNetworkPolicy = policyObject(
  "AdminNetworkPolicy",
  "Cluster-wide rules of an administrator for traffic between pods, before NetworkPolicy or, at priority " +
    "0, after it. It isolates nothing by itself.",
  "Cluster",
  {
    spec: required(
      object(
        "an AdminNetworkPolicy's spec",
        "Which pods, how important, and the rules, of which the first that matches decides.",
        {
          priority: required(
            integer(
              "From 0 to 1000; the larger number is evaluated first. 0 is special: such a policy comes " +
                "after every NetworkPolicy.",
              { minimum: 0, maximum: 1000, mayGrow: true },
            ),
          ),
          subject: required(subject),
          ingress: optional(
            list(
              "Rules for what comes in to the subject, in order. Together with `egress` at most 100.",
              object(
                "an ingress rule",
                "What to do with traffic from any of the peers to any of the ports.",
                {
                  ...ruleFields,
                  from: optional(
                    list(
                      "Sources, any of which may match. Missing or empty, the rule matches nothing.",
                      peer,
                      limit,
                    ),
                  ),
                },
              ),
              { crdMaxItems: maxRules },
            ),
          ),
          egress: optional(
            list(
              "Rules for what goes out of the subject, in order. Together with `ingress` at most 100.",
              object("an egress rule", "What to do with traffic to any of the peers on any of the ports.", {
                ...ruleFields,
                to: optional(
                  list(
                    "Destinations, any of which may match. Missing or empty, the rule matches nothing.",
                    peer,
                    limit,
                  ),
                ),
              }),
              { crdMaxItems: maxRules },
            ),
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
      ),
    ),
  },
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
      hint: "Split it into two policies of neighbouring priorities.",
      readable: true,
    },
  ];
}
