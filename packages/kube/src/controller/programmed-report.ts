import { createHash } from "node:crypto";
import type { PolicyRef } from "@tierwall/core/model";
import { hasConditions } from "./condition.js";

/*
 * How the agent of a node reports which policies the kernel has: in an annotation of a Lease of its own, a short digest of
 * uid and generation for each. The Lease also shows that the agent is alive.
 */

export const programmedAnnotation = "tierwall.dev/programmed";
/** On the Lease of a node that only watches. */
export const shadowAnnotation = "tierwall.dev/shadow";

/** Where the Leases of agents and controllers are, unless an option changes it. */
export const systemNamespace = "tierwall-system";

const prefix = "tierwall-agent-";

export const agentLeaseOf = (node: string): string => `${prefix}${node}`;

export const nodeOfLease = (name: string): string | undefined =>
  name.startsWith(prefix) ? name.slice(prefix.length) : undefined;

/** Of policies whose conditions we write: others are not needed. */
export function programmedText(policies: readonly PolicyRef[]): string {
  const reported = policies.filter(hasConditions).flatMap(({ stored }) => stored ?? []);
  return reported.map(digestOf).toSorted().join(" ");
}

export const programmedIn = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** 48 bits: enough that no two of a cluster are alike, and a thousand of them are short. */
export function digestOf({ uid, generation }: NonNullable<PolicyRef["stored"]>): string {
  return createHash("sha256").update(`${uid}/${generation}`).digest("base64url").slice(0, 8);
}
