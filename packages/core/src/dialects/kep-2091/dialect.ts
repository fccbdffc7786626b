import { type PolicyKind, spelling } from "../dialect.js";
import { lowerKepAdminNetworkPolicy } from "./lower.js";
import { kepAdminNetworkPolicy } from "./schema.js";

/** S4.4: field names of the released API, and their equivalents here. */
const releasedWords: Readonly<Record<string, string>> = {
  namespaces: "`namespaceSelector` in a subject",
  pods: "`namespaceAndPodSelector` in a subject, `namespacedPods` in a peer",
  matchLabels: "labels to match only under `namespaceSelector` and `podSelector`",
  matchExpressions: "labels to match only under `namespaceSelector` and `podSelector`",
  ports: "`l4Selector.ports`",
  portNumber: "`protocol` and `port`",
  portRange: "`protocol`, `port` and `endPort`",
  namedPort: "`port` for names too",
  nodes: "pods as peers only",
  networks: "pods as peers only",
  domainNames: "pods as peers only",
};

export const kep2091Kinds: readonly PolicyKind[] = [
  {
    dialect: "kep-2091",
    title: "AdminNetworkPolicy of KEP-2091",
    group: "policy.networking.k8s.io",
    versions: ["v1alpha1"],
    kind: "AdminNetworkPolicy",
    scope: "Cluster",
    spellings: [
      spelling({
        title: "KEP-2091",
        schema: kepAdminNetworkPolicy,
        lower: lowerKepAdminNetworkPolicy,
        foreign: {
          code: "TW1402",
          words: Object.keys(releasedWords),
          message: (word) =>
            `\`${word}\` belongs to the released AdminNetworkPolicy, but the rest of this policy is that of ` +
            `KEP-2091, which has ${releasedWords[word]}; the two APIs have the same name and cannot be mixed`,
        },
      }),
    ],
  },
];
