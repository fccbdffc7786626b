import { list, object, oneOf, optional, required, string } from "../../schema/schema.js";
import { cidr, exceptInside } from "../../schema/formats.js";
import { labelSelector } from "../../schema/selector.js";
import { policyObject } from "../object.js";
import { policyPort } from "../policy-port.js";

const ipBlock = object(
  "an ipBlock",
  "A range of addresses, less some parts of it. It matches external addresses, nodes and pods alike.",
  {
    cidr: required(string("The range, IPv4 or IPv6.", { format: cidr })),
    except: optional(
      list("Ranges inside it that do not count.", string("A range inside `cidr`.", { format: cidr })),
    ),
  },
  [exceptInside(true)],
);

const peer = object(
  "a peer",
  "Who is at the other end. `podSelector` and `namespaceSelector` together select those pods in those namespaces.",
  {
    podSelector: optional(
      labelSelector("Pods by their labels; in the policy's own namespace unless `namespaceSelector` is set."),
    ),
    namespaceSelector: optional(labelSelector("Namespaces by their labels.")),
    ipBlock: optional(ipBlock),
  },
  [
    { kind: "at-least-one", of: ["podSelector", "namespaceSelector", "ipBlock"] },
    { kind: "at-most-one", of: ["podSelector", "ipBlock"] },
    { kind: "at-most-one", of: ["namespaceSelector", "ipBlock"] },
  ],
);

const ports = list("Ports of the destination; every port when missing or empty.", policyPort);

export const networkPolicySchema = policyObject(
  "NetworkPolicy",
  "What the pods of one namespace may talk to; what it does not allow, it denies to the pods it selects.",
  "Namespaced",
  {
    spec: required(
      object("a NetworkPolicy's spec", "Which pods, and what they may do.", {
        podSelector: optional(
          labelSelector(
            "The pods this policy isolates and allows traffic for; `{}` is all of the namespace.",
          ),
        ),
        policyTypes: optional(
          list(
            "The directions it speaks of. Without it: Ingress, and Egress if there are egress rules.",
            oneOf("A direction.", ["Ingress", "Egress"]),
          ),
        ),
        ingress: optional(
          list(
            "What may come in.",
            object("an ingress rule", "Allows what comes from any of the peers to any of the ports.", {
              from: optional(list("Sources; everything when missing or empty.", peer)),
              ports: optional(ports),
            }),
          ),
        ),
        egress: optional(
          list(
            "What may go out.",
            object("an egress rule", "Allows what goes to any of the peers on any of the ports.", {
              to: optional(list("Destinations; everything when missing or empty.", peer)),
              ports: optional(ports),
            }),
          ),
        ),
      }),
    ),
  },
);
