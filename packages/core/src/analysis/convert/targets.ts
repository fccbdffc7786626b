import { child } from "../../cluster/fields.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { adminNetworkPolicyApi, clusterNetworkPolicyApiFor } from "./admin-api.js";
import { toClusterScoped } from "./cluster-scoped.js";
import { toNetworkPolicies } from "./downgrade/to-network-policies.js";
import type { Findings } from "./findings.js";
import type { Made } from "./draft.js";

export type Target = "cluster-network-policy" | "network-policy-api-v1alpha1" | "network-policy";

interface TargetApi {
  /** Whether a policy is one that this target is for. */
  readonly takes: (definition: PolicyDefinition) => boolean;
  readonly convert: (state: State, chosen: ReadonlySet<PolicyDefinition>, findings: Findings) => Made;
}

export const targets: Readonly<Record<Target, TargetApi>> = {
  "cluster-network-policy": {
    takes: (definition) =>
      isSuperseded(definition) || isAdminNetworkPolicy(definition) || isSeedSpelling(definition),
    convert: (state, chosen, findings) =>
      toClusterScoped(state, chosen, clusterNetworkPolicyApiFor(state.policies), findings),
  },
  "network-policy-api-v1alpha1": {
    takes: (definition) => isSuperseded(definition) || isClusterNetworkPolicy(definition),
    convert: (state, chosen, findings) => toClusterScoped(state, chosen, adminNetworkPolicyApi, findings),
  },
  "network-policy": {
    takes: (definition) =>
      isSuperseded(definition) || isAdminNetworkPolicy(definition) || isClusterNetworkPolicy(definition),
    convert: toNetworkPolicies,
  },
};

const isAdminNetworkPolicy = ({ policy }: PolicyDefinition): boolean =>
  policy.dialect === "admin-network-policy";
const isClusterNetworkPolicy = ({ policy }: PolicyDefinition): boolean =>
  policy.dialect === "cluster-network-policy";

/** Of APIs that were never released, or of one vendor. */
const isSuperseded = ({ policy: { dialect, kind } }: PolicyDefinition): boolean =>
  dialect === "kep-2091" || dialect === "first-draft" || kind === "CiliumClusterwideNetworkPolicy";

/** S3.1: one API, two spellings, of which one was released. */
function isSeedSpelling(definition: PolicyDefinition): boolean {
  const { tier } = child(definition.object.value, "spec");
  return isClusterNetworkPolicy(definition) && (tier === "admin" || tier === "baseline");
}
