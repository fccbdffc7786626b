import type { NodeOptions } from "./program.js";

/* Names that the parts of the table, and those who read it, have agreed on. */

export const counterOf = (id: string): string => `r_${id}`;

/** Of a rule whose allowed connections are logged: of each, what is logged of it, and nothing that is only judged again. */
export const newCounterOf = (id: string): string => `n_${id}`;

/** Of a connection that was established and is no longer allowed, and whether it is the other end that speaks. */
export type CutSide = "cut" | "cut-reply";

type LogOptions = NonNullable<NodeOptions["log"]>;

/** Logs a packet, with the id in front of the line; as often as is allowed. */
export function logging({ group, perSecond, burst }: LogOptions, id: string, cut?: CutSide): string {
  const limit = `limit rate ${perSecond}/second${burst === 5 ? "" : ` burst ${burst} packets`}`;
  return `${limit} log prefix "tw:${id}${cut === undefined ? "" : `:${cut}`}" group ${group}`;
}

/** Connections that were established and are no longer allowed: each is counted once. */
export const cutCounter = "cut";

export const unknownCounter = { egress: "unknown_egress", ingress: "unknown_ingress" } as const;

/** Local pods → what they may do, per direction; and what their own node may do to them. */
export const podMaps = {
  egress: { 4: "pods_out4", 6: "pods_out6" },
  ingress: { 4: "pods_in4", 6: "pods_in6" },
  ownNode: { 4: "pods_own4", 6: "pods_own6" },
} as const;

/** Local pods that no rule is about: all of them, where a node has no rules. */
export const knownPods = { 4: "known4", 6: "known6" } as const;

/** Address → identity of pods and nodes. */
export const exactMaps = { 4: "ident4", 6: "ident6" } as const;

/** Looks up addresses that are in none of them: in maps of ranges, whose names tell what they hold (preparation.ts). */
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

/** `TCP`, or the number where it is none that policies know. */
export const protocolName = (protocol: number): string => protocols[protocol] ?? String(protocol);
