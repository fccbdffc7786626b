import type { Cluster } from "../../../cluster/model.js";
import type { PortSetId, PortSets } from "../../../sets/port-sets.js";
import type { JsonObject } from "../../../manifest/document.js";
import type { Address, Family } from "../../../net/address.js";
import { type Cidr, contains, formatCidr, isWholeFamily, lastOf, singleAddress } from "../../../net/cidr.js";
import {
  cidrsOfRegion,
  isEmpty,
  type Region,
  regionOfAddresses,
  regionOfCidrs,
  regionOfRanges,
  subtract,
} from "../../../net/region.js";
import type { PodCell, Reachability } from "./reach.js";

/*
 * External addresses and nodes as ipBlocks. These hold the pods in them too (S2.3), so that the range of pods has to be cut
 * out wherever some pod is allowed less.
 */

/** Undefined if the peers would include pods, and the range of pod addresses is unknown. */
export function writtenAddressPeers(
  reach: Reachability,
  wanted: PortSetId,
  cells: readonly PodCell[],
  { facts }: Cluster,
  ports: PortSets,
): readonly JsonObject[] | undefined {
  const isMore = (allowed: PortSetId) => ports.subtract(wanted, allowed) !== 0;
  if (![...reach.ranges, ...reach.hosts].some((part) => part.ports === wanted)) return [];
  const peers: JsonObject[] = [];
  for (const family of [4, 6] as const) {
    const others = reach.hosts.filter((host) => host.ports !== wanted).map(({ address }) => address);
    const outside = subtract(
      regionOfRanges(
        family,
        reach.ranges.flatMap(({ range, ports: of }) =>
          of === wanted && range.family === family ? [[range.first, range.last] as const] : [],
        ),
      ),
      regionOfAddresses(family, isAnyLess(reach, isMore) ? others : []),
    );
    const harmed = isEmpty(outside) ? [] : cells.filter(({ index }) => isMore(reach.cells[index]!));
    const open = withoutPods(outside, harmed, facts.podCidrs);
    if (open === undefined) return undefined;
    const hosts = reach.hosts
      .filter(({ address, ports: of }) => of === wanted && address.family === family)
      .map(({ address }) => singleAddress(address))
      .filter((cidr) => !open.ranges.some(([first, last]) => cidr.first >= first && cidr.first <= last));
    peers.push(
      ...blocks(open, reach.nowhere.some(isMore)),
      ...distinct(hosts).map((cidr) => ({ ipBlock: { cidr: formatCidr(cidr) } })),
    );
  }
  return peers;
}

const isAnyLess = ({ hosts }: Reachability, isMore: (ports: PortSetId) => boolean): boolean =>
  hosts.some(({ ports }) => isMore(ports));

function withoutPods(
  outside: Region,
  harmed: readonly PodCell[],
  podCidrs: readonly Cidr[],
): Region | undefined {
  const { family } = outside;
  const addresses = harmed.flatMap(({ pods }) => pods.flatMap((pod) => pod.addresses));
  const isOutside = ({ value }: Address) =>
    outside.ranges.some(([first, last]) => first <= value && value <= last);
  const isHit = addresses.some((address) => address.family === family && isOutside(address));
  const isWhole = cidrsOfRegion(outside).some(isWholeFamily);
  const withoutAddress = harmed.some(({ pods }) => pods.some((pod) => pod.addresses.length === 0));
  if (!isHit && !(isWhole && withoutAddress)) return outside;
  const known = podCidrs.filter((cidr) => cidr.family === family);
  const rest = subtract(outside, regionOfCidrs(family, known));
  const isStillHit = addresses.some(
    (address) => address.family === family && !known.some((cidr) => contains(cidr, address)),
  );
  return isStillHit || (withoutAddress && known.length === 0) ? undefined : rest;
}

/** Few blocks with exceptions, where almost all of a family is meant; else the blocks themselves. */
function blocks(region: Region, neverWhole: boolean): readonly JsonObject[] {
  if (isEmpty(region)) return [];
  const plain = cidrsOfRegion(region);
  const isPlain = plain.length <= 2 && !(neverWhole && plain.some(isWholeFamily));
  if (isPlain) return plain.map((cidr) => ({ ipBlock: { cidr: formatCidr(cidr) } }));
  // Halves: a whole family would hold ends of which no address is known (S1.14).
  const halves = halvesOf(region.family);
  const excepted = halves.map((half) =>
    cidrsOfRegion(subtract(regionOfCidrs(region.family, [half]), region)).filter(
      ({ first }) => first <= lastOf(half),
    ),
  );
  if (!neverWhole && excepted.flat().length >= plain.length)
    return plain.map((cidr) => ({ ipBlock: { cidr: formatCidr(cidr) } }));
  return halves.flatMap((half, i) => {
    const except = excepted[i]!.map(formatCidr);
    if (except.includes(formatCidr(half))) return [];
    return [{ ipBlock: { cidr: formatCidr(half), ...(except.length === 0 ? {} : { except }) } }];
  });
}

function halvesOf(family: Family): readonly Cidr[] {
  const middle = family === 4 ? 1n << 31n : 1n << 127n;
  return [
    { family, first: 0n, prefix: 1 },
    { family, first: middle, prefix: 1 },
  ];
}

const distinct = (cidrs: readonly Cidr[]): readonly Cidr[] => [
  ...new Map(cidrs.map((cidr) => [formatCidr(cidr), cidr])).values(),
];
