import { type Address, bitsOf, parseAddress, sameAddress } from "../net/address.js";
import { type Cidr, parseCidr } from "../net/cidr.js";
import { child, items, text, texts } from "./fields.js";
import type { Identified } from "./identity.js";
import type { Node, Pod } from "./model.js";

/*
 * Which addresses a node has (S1.16). Its status lists those that others reach it by; network plugins give it more, on tunnels
 * and bridges, and report some of them in annotations.
 */

/** Annotations with an address, a CIDR whose address is the node's, or several of them separated by commas. */
const addressAnnotations = [
  "projectcalico.org/IPv4Address",
  "projectcalico.org/IPv6Address",
  "projectcalico.org/IPv4IPIPTunnelAddr",
  "projectcalico.org/IPv4VXLANTunnelAddr",
  "projectcalico.org/IPv6VXLANTunnelAddr",
  "projectcalico.org/IPv4WireguardInterfaceAddr",
  "projectcalico.org/IPv6WireguardInterfaceAddr",
  "flannel.alpha.coreos.com/public-ip",
  "flannel.alpha.coreos.com/public-ipv6",
  "network.cilium.io/ipv4-cilium-host",
  "network.cilium.io/ipv6-cilium-host",
  "node.antrea.io/transport-addresses",
] as const;

/** Flannel gives the first address of a node's pod range to its tunnel, and the second to the bridge of its pods. */
const flannelAnnotation = "flannel.alpha.coreos.com/backend-type";

/** All that is read of a Node's annotations. */
export const nodeAnnotations: readonly string[] = [...addressAnnotations, flannelAnnotation];

export function readNode(object: Identified): Node {
  const { name, labels, value } = object;
  const addresses = items(child(value, "status"), "addresses").flatMap(
    (entry) => parseAddress(text(entry, "address") ?? "") ?? [],
  );
  const podRanges = podRangesOf(object).flatMap((range) => parseCidr(range) ?? []);
  const reported = reportedAddresses(object, podRanges).filter(
    (address, i, all) =>
      !addresses.some((own) => sameAddress(own, address)) &&
      all.findIndex((other) => sameAddress(other, address)) === i,
  );
  return {
    name,
    labels,
    addresses,
    ...(reported.length === 0 ? {} : { pluginAddresses: reported }),
    ...(podRanges.length === 0 ? {} : { podRanges }),
  };
}

function reportedAddresses({ value }: Identified, podRanges: readonly Cidr[]): readonly Address[] {
  const annotations = child(child(value, "metadata"), "annotations");
  const written = addressAnnotations.flatMap((key) => (text(annotations, key) ?? "").split(","));
  return [
    ...written.flatMap((one) => parseAddress(one.trim().split("/")[0]!) ?? []),
    ...(text(annotations, flannelAnnotation) === undefined ? [] : podRanges.flatMap(firstTwo)),
  ];
}

const firstTwo = ({ family, first, prefix }: Cidr): readonly Address[] =>
  prefix >= bitsOf(family) - 1
    ? []
    : [
        { family, value: first },
        { family, value: first + 1n },
      ];

export function podRangesOf({ value }: Pick<Identified, "value">): readonly string[] {
  const spec = child(value, "spec");
  const listed = texts(spec, "podCIDRs");
  return listed.length > 0 ? listed : [text(spec, "podCIDR") ?? []].flat();
}

/** Every address that is surely the node's. */
export const addressesOfNode = ({ addresses, pluginAddresses = [] }: Node): readonly Address[] =>
  pluginAddresses.length === 0 ? addresses : [...addresses, ...pluginAddresses];

export function addHostAddresses(known: Address[], { hostAddresses }: Pod): void {
  for (const address of hostAddresses)
    if (!known.some((other) => sameAddress(other, address))) known.push(address);
}

/** A node with what its pods report about it; its own object takes precedence. */
export function nodeWith(name: string, written: Node | undefined, addresses: readonly Address[]): Node {
  if (written === undefined) return { name, addresses };
  return written.addresses.length === 0 ? { ...written, addresses } : written;
}
