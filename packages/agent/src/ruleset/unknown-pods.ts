import { bitsOf, type Cidr, covers, type Family, formatAddress, formatCidr } from "@tierwall/core/model";
import type { NodeOptions } from "./program.js";
import type { Chain } from "./ruleset.js";
import { logging, unknownCounter } from "./vocabulary.js";

/*
 * Addresses in the ranges of this node's pods that no known pod has: a pod that is not programmed yet, or somebody who lies.
 */

export type Side = "saddr" | "daddr";

interface WatchedRange {
  readonly family: Family;
  readonly ip: "ip" | "ip6";
  /** As nft prints it: a single address without its prefix. */
  readonly range: string;
}

/**
 * Ranges of this node's pods in which strangers are held back. They are few, and stand in rules: the kernel shows what is in a set of
 * ranges a moment later than it shows the rules that look into it.
 */
export function watchedRanges(options: NodeOptions): readonly WatchedRange[] {
  const { localRanges, rangesDoubted = false } = options;
  if (!holdsStrangersBack(options) || rangesDoubted) return [];
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

/** Also where the ranges are doubted: addresses of links, and those that are not a pod's own, do not depend on them. */
export const holdsStrangersBack = ({ unknownPods: mode, localRanges }: NodeOptions): boolean =>
  mode === "deny" && localRanges.length > 0;

/** Where they end: counted, logged, and held back by `verdict`, unless the node only watches. */
export function strangersEnd(
  { log, shadow }: NodeOptions,
  verdict: { readonly drop: readonly string[]; readonly watch: readonly string[] },
): readonly (readonly [string, Chain])[] {
  return Object.values(unknownCounter).map((name) => [
    name,
    {
      rules: [
        `counter name "${name}"`,
        ...(log === undefined ? [] : [logging(log, name)]),
        ...(shadow ? verdict.watch : verdict.drop),
      ],
    },
  ]);
}

/*
 * Packets from or to an address of a link are never routed: a bridge carries them from port to port, or they are for the node. Pods
 * choose such addresses themselves, and no policy can name them, so a packet with one cannot be judged by the policies of its pod.
 * Where policies decide what pods may send, or receive, it is dropped.
 */

/** Of nearly all addresses a byte says that they are none of a link: all of it is compared, in a slower way, for others alone. */
export const mayBeLinkLocal = (side: Side): string => `ip6 ${side} fe00::/8`;

/** Packets to an address of a link, or replies to one. */
export const linkLocal = (direction: "egress" | "ingress", side: Side): string =>
  `${mayBeLinkLocal(side)} ${isLinkLocal(side)} goto ${unknownCounter[direction]}`;

/** What pods hang on, each by itself or all on one. */
const podDevices = ["bridge", "veth"] as const;

/** That no route to the address leads out by the device that the packet came in by. */
const noWayBy = (side: Side): string => `fib ${side} . iif oif 0`;

const isLinkLocal = (side: Side): string => `ip6 ${side} fe80::/10`;

const toAll = "ip6 daddr ff00::/8";

/**
 * What hosts need to send from an address of their link, beside neighbour discovery (hooks.ts): DHCPv6, and Multicast Listener
 * Discovery. Where no policy decides what pods may send, also whatever they send to all of the link.
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

/** Packets that a bridge carries from an address of a link. */
export const fromLink = (isEgressJudged: boolean): readonly string[] => [
  "ip6 saddr != fe80::/10 return",
  ...neededOnLink(isEgressJudged),
  `goto ${unknownCounter.egress}`,
];

/**
 * The same to the node itself, which has other neighbours, too; these are not behind what pods hang on, but for those of a
 * node whose own link is a bridge.
 */
export const fromLinkHere = (isEgressJudged: boolean): readonly string[] => [
  "ip6 saddr != fe80::/10 return",
  ...neededOnLink(isEgressJudged),
  ...podDevices.map((kind) => `meta iifkind "${kind}" goto ${unknownCounter.egress}`),
];

export const forgedChain = "forged";

/**
 * Those whose address is nobody's here, and who come by what pods hang on: a neighbour of the node whose own link is like that, or a
 * pod that lies. To the neighbour, answers go back by the same device. Not asked about those who have no address yet, or speak
 * from one of their link to all of it; nor where a bridge that is no way to either end carries packets between others.
 */
export const forgedRules: readonly string[] = [
  "ip6 saddr :: return",
  `${mayBeLinkLocal("saddr")} ${isLinkLocal("saddr")} return`,
  `meta iifkind "bridge" meta oifkind "bridge" ${noWayBy("daddr")} return`,
  ...podDevices.map((kind) => `meta iifkind "${kind}" ${noWayBy("saddr")} goto ${unknownCounter.egress}`),
];

export const findsForged = (options: NodeOptions): boolean =>
  holdsStrangersBack(options) && options.forgedSources !== "pass";

const isWider = (outer: Cidr, inner: Cidr): boolean =>
  outer.family === inner.family && outer.prefix < inner.prefix && covers(outer, inner);

const rangeText = (range: Cidr): string =>
  range.prefix === bitsOf(range.family)
    ? formatAddress({ family: range.family, value: range.first })
    : formatCidr(range);
