import { list, object, oneOf, required, string } from "../../schema/schema.js";
import { cidr, exceptInside } from "../../schema/formats.js";
import { labelSelector } from "../../schema/selector.js";
import { policyWithSpec } from "../object.js";
import { policyPort } from "../policy-port.js";

const ipBlock = object(
  "an ipBlock",
  "A range of addresses, with exceptions. It matches external addresses, nodes and pods.",
  {
    cidr: required(string("The range, IPv4 or IPv6.", { format: cidr })),
    except: list(
      "Ranges inside `cidr` that are excluded.",
      string("A range inside `cidr`.", { format: cidr }),
    ),
  },
  [exceptInside(true)],
);

const peer = object(
  "a peer",
  "The other endpoint of the connection. `podSelector` and `namespaceSelector` together select those pods in those namespaces.",
  {
    podSelector: labelSelector(
      "Pods by their labels; in the policy's own namespace unless `namespaceSelector` is set.",
    ),
    namespaceSelector: labelSelector("Namespaces by their labels."),
    ipBlock: ipBlock,
  },
  [
    { kind: "at-least-one", of: ["podSelector", "namespaceSelector", "ipBlock"] },
    { kind: "at-most-one", of: ["podSelector", "ipBlock"] },
    { kind: "at-most-one", of: ["namespaceSelector", "ipBlock"] },
  ],
);

const ports = list("Ports of the destination; every port if missing or empty.", policyPort);

export const networkPolicySchema = policyWithSpec(
  "NetworkPolicy",
  "Allows connections from and to pods of one namespace. Other connections of the selected pods are denied.",
  "Namespaced",
  "The pods that the policy applies to, and the connections that it allows.",
  {
    podSelector: labelSelector(
      "The pods that this policy applies to; `{}` selects every pod of the namespace.",
    ),
    policyTypes: list(
      "The directions that the policy applies to. Default: Ingress, and Egress if there are egress rules.",
      oneOf("A direction.", ["Ingress", "Egress"]),
    ),
    ingress: list(
      "Allowed incoming connections.",
      object("an ingress rule", "Allows connections from any of the peers to any of the ports.", {
        from: list("Sources; every source if missing or empty.", peer),
        ports: ports,
      }),
    ),
    egress: list(
      "Allowed outgoing connections.",
      object("an egress rule", "Allows connections to any of the peers on any of the ports.", {
        to: list("Destinations; every destination if missing or empty.", peer),
        ports: ports,
      }),
    ),
  },
);
