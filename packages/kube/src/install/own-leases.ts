import type { JsonObject } from "@tierwall/core/manifest";
import { agentLeaseOf } from "../controller/programmed-report.js";
import { here } from "./marked.js";
import { called, clusterWide, nameOf } from "./names.js";

/*
 * A role can allow agents to write Leases, but not restrict each to its own. The token of a pod names the node on which it runs: an agent
 * may write the Lease of that node alone. A token without a node, as of API servers before 1.30 or of a user who runs
 * an agent by hand, is not held to it.
 */

const name = called("agent-leases");
const extra = "request.userInfo.extra";
const nodeKey = "'authentication.kubernetes.io/node-name'";
const ownLease = `'${agentLeaseOf("")}' + ${extra}[${nodeKey}][0]`;

export const ownLeases: readonly JsonObject[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: clusterWide(name),
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        // Leases of others, such as those of kubelets, are not even looked at.
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": here } },
        resourceRules: [
          {
            apiGroups: ["coordination.k8s.io"],
            apiVersions: ["*"],
            resources: ["leases"],
            operations: ["CREATE", "UPDATE"],
          },
        ],
      },
      matchConditions: [
        {
          name: "from-an-agent",
          expression: `request.userInfo.username == 'system:serviceaccount:${here}:${nameOf("agent")}'`,
        },
        {
          name: "from-a-node-that-is-known",
          expression: `has(${extra}) && ${nodeKey} in ${extra}`,
        },
      ],
      validations: [
        {
          expression: `has(object.metadata.name) && object.metadata.name == ${ownLease}`,
          messageExpression: `'the agent of a node writes no Lease but ' + ${ownLease}`,
          reason: "Forbidden",
        },
      ],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: clusterWide(name),
    spec: { policyName: name, validationActions: ["Deny"] },
  },
];
