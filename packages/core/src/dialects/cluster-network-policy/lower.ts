import type { Lowered } from "../../policy/assemble.js";
import type { PortMatch, TierName } from "../../policy/model.js";
import type { Static } from "../../schema/schema.js";
import { lowerAdminPort } from "../admin-ports.js";
import { type AdminDialect, lowerAdminSpec, type WrittenSpec } from "../admin-rules.js";
import { type LowerContext, notEnforced } from "../dialect.js";
import type { releasedPolicy, seedPolicy } from "./schema.js";

type Released = Static<typeof releasedPolicy>;
type ProtocolMatch = NonNullable<NonNullable<Released["spec"]["ingress"]>[number]["protocols"]>[number];

export function lowerSeedPolicy({ spec }: Static<typeof seedPolicy>, context: LowerContext): Lowered {
  return lowerInTier(spec, { portsField: "ports", lowerPort: lowerAdminPort }, context);
}

export function lowerReleasedPolicy({ spec }: Released, context: LowerContext): Lowered {
  return lowerInTier(spec, { portsField: "protocols", lowerPort: lowerProtocolMatch }, context);
}

type Tier = "admin" | "baseline" | "Admin" | "Baseline";

/** S3.2: without a tier or a priority the position of the policy is unknown (S3.6). */
function lowerInTier<P>(
  spec: (WrittenSpec<P> & { readonly tier: Tier; readonly priority: number }) | undefined,
  ports: Pick<AdminDialect<P>, "portsField" | "lowerPort">,
  context: LowerContext,
): Lowered {
  const tier = tierOf(spec?.tier);
  if (spec === undefined || tier === undefined) return notEnforced(context, ["spec", "tier"], "its tier");
  if (spec.priority === undefined) return notEnforced(context, ["spec", "priority"], "its priority");
  return lowerAdminSpec(spec, { tier, precedence: spec.priority, ...ports }, context);
}

function tierOf(tier: Tier | undefined): TierName | undefined {
  if (tier === undefined) return undefined;
  return tier === "admin" || tier === "Admin" ? "admin" : "baseline";
}

function lowerProtocolMatch(match: ProtocolMatch): PortMatch | undefined {
  for (const protocol of ["TCP", "UDP", "SCTP"] as const) {
    const transport = match[protocol.toLowerCase() as Lowercase<typeof protocol>];
    if (transport === undefined) continue;
    const { number, range } = transport.destinationPort;
    if (number !== undefined) return { kind: "range", protocol, first: number, last: number };
    return range && { kind: "range", protocol, first: range.start, last: range.end };
  }
  const { destinationNamedPort: name } = match;
  return name === undefined ? undefined : { kind: "named", name };
}
