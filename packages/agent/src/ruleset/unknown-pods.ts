import { bitsOf, type Cidr, covers, type Family, formatAddress, formatCidr } from "@tierwall/core/model";
import type { NodeOptions } from "./program.js";
import type { RulesByChain } from "./ruleset.js";
import { logging, unknownCounter } from "./vocabulary.js";

/*
 * Addresses in the ranges of this node's pods that no known pod has: a pod that is not programmed yet, or a spoofed address.
 */

export type Side = "saddr" | "daddr";

interface WatchedRange {
  readonly family: Family;
  readonly ip: "ip" | "ip6";
  /** As nft prints it: a single address without its prefix. */
  readonly range: string;
}

/**
 * The ranges of this node's pods in which unknown pods are denied. They are few, and written into rules: the elements of a set of
 * ranges become visible later than the rules that use it.
 */
export function watchedRanges(options: NodeOptions): readonly WatchedRange[] {
  const { localRanges, rangesDoubted = false } = options;
  if (!deniesUnknownPods(options) || rangesDoubted) return [];
  const outermost = localRanges.filter((range) => !localRanges.some((other) => isWider(other, range)));
  const watched = outermost.map(
    (range): WatchedRange => ({
      family: range.family,
      ip: range.family === 4 ? "ip" : "ip6",
      range: rangeText(range),
    }),
  );
  return [...new Map(watched.map((one) => [one.range, one])).values()];
}

/** Also if the ranges are not trusted: link-local and spoofed addresses do not depend on them. */
export const deniesUnknownPods = ({ unknownPods: mode, localRanges }: NodeOptions): boolean =>
  mode === "deny" && localRanges.length > 0;

/** The chains for packets of unknown pods: counted, logged, and dropped unless the node is in shadow mode. */
export function unknownPodChains(
  { log, shadow }: NodeOptions,
  verdict: { readonly drop: readonly string[]; readonly watch: readonly string[] },
): RulesByChain {
  const rulesOf = (name: string) => [
    `counter name "${name}"`,
    ...(log === undefined ? [] : [logging(log, name)]),
    ...(shadow ? verdict.watch : verdict.drop),
  ];
  return Object.fromEntries(Object.values(unknownCounter).map((name) => [name, rulesOf(name)]));
}

/*
 * Packets from or to a link-local address are never routed: they stay on a bridge, or they are for the node. Pods choose such
 * addresses themselves, and policies cannot name them, so the policies of a pod cannot be applied to them. In a direction in which
 * policies apply to pods, such packets are dropped.
 */

/** One byte excludes nearly all other addresses. The full comparison is slower, and only done for the rest. */
export const mayBeLinkLocal = (side: Side): string => `ip6 ${side} fe00::/8`;

/** Packets to a link-local address, or replies to one. */
export const linkLocal = (direction: "egress" | "ingress", side: Side): string =>
  `${mayBeLinkLocal(side)} ${isLinkLocal(side)} goto ${unknownCounter[direction]}`;

/** The kinds of devices to which pods are attached. */
const podDevices = ["bridge", "veth"] as const;

/** True if no route to the address uses the device through which the packet arrived. */
const noRouteBack = (side: Side): string => `fib ${side} . iif oif 0`;

const isLinkLocal = (side: Side): string => `ip6 ${side} fe80::/10`;

const toAll = "ip6 daddr ff00::/8";

/**
 * What hosts need to send from a link-local address, in addition to neighbour discovery (hooks.ts): DHCPv6 and Multicast Listener
 * Discovery. If no policy applies to the egress of pods, also all other multicast on the link.
 */
const neededOnLink = (isEgressJudged: boolean): readonly string[] => [
  "udp sport 547 udp dport 546 return",
  ...(isEgressJudged
    ? [
        "ip6 daddr ff02::1:2 udp sport 546 udp dport 547 return",
        `${toAll} ip6 hoplimit 1 icmpv6 type 130-132 return`,
        `${toAll} ip6 hoplimit 1 icmpv6 type 143 return`,
      ]
    : [`${toAll} return`]),
];

/** Bridged packets from a link-local address. */
export const fromLink = (isEgressJudged: boolean): readonly string[] => [
  "ip6 saddr != fe80::/10 return",
  ...neededOnLink(isEgressJudged),
  `goto ${unknownCounter.egress}`,
];

/**
 * The same to the node itself. It has other neighbours too; these are not behind devices of pods, except if the node's own link is
 * a bridge.
 */
export const fromLinkToNode = (isEgressJudged: boolean): readonly string[] => [
  "ip6 saddr != fe80::/10 return",
  ...neededOnLink(isEgressJudged),
  ...podDevices.map((kind) => `meta iifkind "${kind}" goto ${unknownCounter.egress}`),
];

export const forgedChain = "forged";

/**
 * Packets from an address of no known pod that arrive through a device of pods: from a neighbour of the node, if its own link is such
 * a device, or from a pod that spoofs its address. Replies to a neighbour leave through the same device. Not checked for packets
 * without an address yet, for link-local addresses, and on a bridge that has no route to either endpoint.
 */
export const forgedRules: readonly string[] = [
  "ip6 saddr :: return",
  `${mayBeLinkLocal("saddr")} ${isLinkLocal("saddr")} return`,
  `meta iifkind "bridge" meta oifkind "bridge" ${noRouteBack("daddr")} return`,
  ...podDevices.map((kind) => `meta iifkind "${kind}" ${noRouteBack("saddr")} goto ${unknownCounter.egress}`),
];

export const findsForged = (options: NodeOptions): boolean =>
  deniesUnknownPods(options) && options.forgedSources !== "pass";

const isWider = (outer: Cidr, inner: Cidr): boolean =>
  outer.family === inner.family && outer.prefix < inner.prefix && covers(outer, inner);

const rangeText = (range: Cidr): string =>
  range.prefix === bitsOf(range.family)
    ? formatAddress({ family: range.family, value: range.first })
    : formatCidr(range);
