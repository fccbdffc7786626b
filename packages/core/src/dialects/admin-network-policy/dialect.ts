import { kepWords } from "../admin-shape.js";
import { type PolicyKind, spelling } from "../dialect.js";
import { lowerAdminNetworkPolicy, lowerBaselineAdminNetworkPolicy } from "./lower.js";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./schema.js";

const api = {
  dialect: "admin-network-policy",
  group: "policy.networking.k8s.io",
  versions: ["v1alpha1"],
  scope: "Cluster",
} as const;

export const adminNetworkPolicyKinds: readonly PolicyKind[] = [
  {
    ...api,
    title: "AdminNetworkPolicy as released",
    kind: "AdminNetworkPolicy",
    spellings: [
      spelling({
        title: "as released",
        schema: adminNetworkPolicy,
        lower: lowerAdminNetworkPolicy,
        // S4.4
        foreign: {
          code: "TW1402",
          words: kepWords,
          message: (word) =>
            `\`${word}\` belongs to the AdminNetworkPolicy of KEP-2091 (\`subject.namespaceSelector\`, ` +
            "`l4Selector`), but the rest of this document is as released (`subject.namespaces`, " +
            "`ports`); use one API in the whole document",
        },
      }),
    ],
  },
  {
    ...api,
    title: "BaselineAdminNetworkPolicy",
    kind: "BaselineAdminNetworkPolicy",
    spellings: [
      spelling({
        title: "as released",
        schema: baselineAdminNetworkPolicy,
        lower: lowerBaselineAdminNetworkPolicy,
      }),
    ],
  },
];
