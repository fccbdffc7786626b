import { type PolicyKind, spelling } from "../dialect.js";
import { lowerNetworkPolicy } from "./lower.js";
import { networkPolicySchema } from "./schema.js";

export const networkPolicyKinds: readonly PolicyKind[] = [
  {
    dialect: "network-policy",
    title: "NetworkPolicy",
    group: "networking.k8s.io",
    versions: ["v1"],
    kind: "NetworkPolicy",
    scope: "Namespaced",
    spellings: [
      spelling({ title: "networking.k8s.io/v1", schema: networkPolicySchema, lower: lowerNetworkPolicy }),
    ],
  },
];
