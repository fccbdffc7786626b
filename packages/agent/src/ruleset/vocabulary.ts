import type { NodeOptions } from "./program.js";

/* Names that several parts of the table, and its readers, use. */

export const counterOf = (id: string): string => `r_${id}`;

/** Counts the logged connections of a rule: new ones only, not those that are judged again. */
export const newCounterOf = (id: string): string => `n_${id}`;

/** For a connection that was established and is no longer allowed; `cut-reply`: the packet is a reply. */
export type CutSide = "cut" | "cut-reply";

type LogOptions = NonNullable<NodeOptions["log"]>;

/** Logs a packet with the id as prefix, up to the rate limit. */
export function logging({ group, perSecond, burst }: LogOptions, id: string, cut?: CutSide): string {
  const limit = `limit rate ${perSecond}/second${burst === 5 ? "" : ` burst ${burst} packets`}`;
  return `${limit} log prefix "tw:${id}${cut === undefined ? "" : `:${cut}`}" group ${group}`;
}

/** Counts connections that were established and are no longer allowed, each once. */
export const cutCounter = "cut";

export const unknownCounter = { egress: "unknown_egress", ingress: "unknown_ingress" } as const;

/** Local pods → their rules per direction, and the rules for packets from their own node. */
export const podMaps = {
  egress: { 4: "pods_out4", 6: "pods_out6" },
  ingress: { 4: "pods_in4", 6: "pods_in6" },
  ownNode: { 4: "pods_own4", 6: "pods_own6" },
} as const;

/** All local pods, on a node without rules. */
export const knownPods = { 4: "known4", 6: "known6" } as const;

/** Address → identity of pods and nodes. */
export const exactMaps = { 4: "ident4", 6: "ident6" } as const;

/** Looks up other addresses in maps of ranges, which are named after their contents (difference.ts). */
export const rangesChain = { saddr: "ranges_saddr", daddr: "ranges_daddr" } as const;

/** S1.16: looks up which identity this node has at the address that was used. */
export const localChain = { saddr: "local_saddr", daddr: "local_daddr" } as const;

const protocols: Readonly<Record<number, string>> = {
  1: "ICMP",
  6: "TCP",
  17: "UDP",
  58: "ICMPv6",
  132: "SCTP",
};

/** `TCP`, or the number of a protocol that policies have no name for. */
export const protocolName = (protocol: number): string => protocols[protocol] ?? String(protocol);
