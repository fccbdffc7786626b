import type { Lowered } from "../../policy/assemble.js";
import type { Static } from "../../schema/schema.js";
import { lowerAdminPort } from "../admin-ports.js";
import { lowerAdminSpec } from "../admin-rules.js";
import { type LowerContext, notEnforced } from "../dialect.js";
import type { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./schema.js";

const ports = { portsField: "ports", lowerPort: lowerAdminPort } as const;

/** S1.12: after all priorities. */
const baselinePrecedence = 1000;

/** S4.1: tier admin, lower priorities first. */
export function lowerAdminNetworkPolicy(
  policy: Static<typeof adminNetworkPolicy>,
  context: LowerContext,
): Lowered {
  // From a cluster any part may be missing.
  const spec = policy.spec as typeof policy.spec | undefined;
  const priority = spec?.priority;
  if (spec === undefined || priority === undefined)
    return notEnforced(context, ["spec", "priority"], "its priority");
  return lowerAdminSpec(spec, { tier: "admin", precedence: priority, ...ports }, context);
}

/** S4.1: tier baseline, without a priority. */
export function lowerBaselineAdminNetworkPolicy(
  policy: Static<typeof baselineAdminNetworkPolicy>,
  context: LowerContext,
): Lowered {
  const spec = policy.spec as typeof policy.spec | undefined;
  if (spec === undefined) return notEnforced(context, ["spec"], "its spec");
  return lowerAdminSpec(spec, { tier: "baseline", precedence: baselinePrecedence, ...ports }, context);
}
