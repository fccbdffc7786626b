import { type DialectId, formatPolicy } from "../../../policy/model.js";
import { finding } from "../finding.js";
import { aboutPolicy, type LintRule } from "../rule.js";

const superseded: Partial<Record<DialectId, string>> = {
  "admin-network-policy": "is superseded by ClusterNetworkPolicy (policy.networking.k8s.io/v1alpha2)",
  "kep-2091": "uses the API of KEP-2091, which was never released; ClusterNetworkPolicy is its successor",
  "first-draft":
    "uses the first draft of KEP-2091, which was never released; ClusterNetworkPolicy is its successor",
};

export const supersededApi: LintRule = {
  code: "TW4009",
  *check({ state }) {
    for (const policy of state.policies) {
      const why = superseded[policy.dialect];
      if (why !== undefined)
        yield finding("TW4009", `${formatPolicy(policy)} ${why}`, {
          ...aboutPolicy(policy),
          hint: "`tierwall convert --to cluster-network-policy` converts it, and proves that no verdict changes.",
        });
    }
  },
};
