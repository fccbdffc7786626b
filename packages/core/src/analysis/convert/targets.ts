import { isObject } from "../../manifest/document.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { adminNetworkPolicyApi, clusterNetworkPolicyApiFor } from "./admin-api.js";
import { toClusterScoped } from "./cluster-scoped.js";
import { toNetworkPolicies } from "./downgrade/to-network-policies.js";
import type { Findings } from "./findings.js";
import type { Made } from "./made.js";

export type Target = "cluster-network-policy" | "network-policy-api-v1alpha1" | "network-policy";

export interface TargetApi {
  /** Whether a policy is one that this target is for. */
  readonly takes: (definition: PolicyDefinition, state: State) => boolean;
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
function isSuperseded({ policy }: PolicyDefinition): boolean {
  return (
    policy.dialect === "kep-2091" ||
    policy.dialect === "first-draft" ||
    policy.kind === "CiliumClusterwideNetworkPolicy"
  );
}

/** S3.1: one API, two spellings, of which one was released. */
function isSeedSpelling(definition: PolicyDefinition): boolean {
  const { spec } = definition.object.value;
  return (
    isClusterNetworkPolicy(definition) &&
    isObject(spec) &&
    (spec.tier === "admin" || spec.tier === "baseline")
  );
}
