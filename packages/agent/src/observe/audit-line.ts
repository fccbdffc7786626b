import type { PolicyRef } from "@tierwall/core/model";
import { isToBeOpened } from "@tierwall/core/report";
import type { BookEntry } from "../ruleset/program.js";
import type { AddressOwner, AddressOwners } from "./address-owners.js";
import type { LoggedPacket } from "./logged-packet.js";
import { policiesBehind } from "./decider.js";

/** A line of the audit log: one packet and its verdict. */
export interface AuditLine {
  readonly time: string;
  /** The node that decided. */
  readonly node: string;
  readonly verdict: "Allow" | "Deny" | "Pass";
  readonly direction?: "ingress" | "egress";
  readonly protocol: string;
  readonly source: AuditEnd;
  readonly destination: AuditEnd;
  readonly icmp?: { readonly type: number; readonly code: number };
  /** The packet belonged to a connection that was allowed before. */
  readonly cut?: true;
  /** The packet was not dropped: the policy or the node is in shadow mode. */
  readonly shadow?: true;
  readonly by: AuditDecider;
}

export type AuditEnd = AddressOwner & { readonly address: string; readonly port?: number };

export type AuditDecider =
  | {
      readonly kind: "rule";
      readonly tier: string;
      readonly policy: AuditPolicy;
      /** In its list, counted from one. */
      readonly number: number;
      readonly name?: string;
      /** `spec.ingress[0]` */
      readonly path: string;
      /** `policies/shop.yaml:31` */
      readonly place?: string;
    }
  | { readonly kind: "isolation"; readonly tier: string; readonly policies: readonly AuditPolicy[] }
  /** A pod of this node whose rules were not in the kernel yet. */
  | { readonly kind: "unknown-pod" }
  /** The rule was removed before the line was read. */
  | { readonly kind: "not-known"; readonly id: string };

interface AuditPolicy {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly place?: string;
}

export function auditLine(
  packet: LoggedPacket,
  decided: Pick<AuditLine, "verdict" | "by"> & Partial<Pick<AuditLine, "direction" | "cut" | "shadow">>,
  { node, ends }: { readonly node: string; readonly ends: AddressOwners },
): AuditLine {
  const { time, protocol, ports, icmp, ownEnd } = packet;
  const { verdict, direction, cut, shadow, by } = decided;
  const end = (side: "source" | "destination"): AuditEnd => ({
    address: packet[side],
    ...(ports === undefined ? {} : { port: ports[side] }),
    ...(side === ownEnd ? { kind: "node", node } : ends.at(packet[side])),
  });
  return {
    time: time.toISOString(),
    node,
    verdict,
    ...(direction === undefined ? {} : { direction }),
    protocol,
    source: end("source"),
    destination: end("destination"),
    ...(icmp === undefined ? {} : { icmp }),
    ...(cut === undefined ? {} : { cut }),
    ...(shadow === undefined ? {} : { shadow }),
    by,
  };
}

export function auditDecider(entry: BookEntry): AuditDecider {
  const { tier, by } = entry;
  if (by.kind === "isolation")
    return { kind: "isolation", tier, policies: policiesBehind(entry).map(auditPolicy) };
  const { policy, index, name, path, place } = by.rule.origin;
  const { place: _, ...named } = auditPolicy(policy);
  return {
    kind: "rule",
    tier,
    policy: named,
    number: index + 1,
    ...(name === undefined ? {} : { name }),
    path,
    ...placed(place),
  };
}

function auditPolicy({ kind, namespace, name, place }: PolicyRef): AuditPolicy {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, ...placed(place) };
}

function placed(place: PolicyRef["place"]): { readonly place?: string } {
  const found = place();
  return isToBeOpened(found) ? { place: `${found.file}:${found.line}` } : {};
}
