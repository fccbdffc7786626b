import type { Cluster, Node, Pod } from "../../src/cluster/model.js";
import type { Endpoint, Flow } from "../../src/evaluate/flow.js";
import type { Address, Family } from "../../src/net/address.js";
import type { Cidr } from "../../src/net/cidr.js";

/* The oracle's own implementation of addresses: which an endpoint may have, and which ranges contain them. */

/** An unknown fact makes a match a "maybe". */
export type Certainty = "yes" | "no" | "maybe";
export const certain = (value: boolean): Certainty => (value ? "yes" : "no");

/** Containment on the text of the bits: no arithmetic. */
const bits = (value: bigint, family: Family): string =>
  value.toString(2).padStart(family === 4 ? 32 : 128, "0");
export function oracleHolds(cidr: Cidr, { family, value }: Address): boolean {
  const prefix = bits(cidr.first, cidr.family).slice(0, cidr.prefix);
  return family === cidr.family && bits(value, family).startsWith(prefix);
}

export function oracleAddresses(end: Endpoint, cluster: Cluster, { family }: Flow): readonly Address[] {
  const listed =
    end.kind === "external"
      ? [end.address]
      : end.kind === "node"
        ? end.address === undefined
          ? end.node.addresses
          : [end.address]
        : end.pod.addresses.length > 0 || !end.pod.hostNetwork
          ? end.pod.addresses
          : (oracleNode(end.pod, cluster)?.addresses ?? []);
  return listed.filter((a) => family === undefined || a.family === family);
}

export const oracleNode = (pod: Pod, cluster: Cluster): Node | undefined =>
  pod.node === undefined ? undefined : cluster.nodes.get(pod.node);

// S1.14, S2.3: address by address, over all that the endpoint may have.
export function within(
  cidrs: readonly Cidr[],
  except: readonly Cidr[],
  end: Endpoint,
  cluster: Cluster,
  flow: Flow,
): Certainty {
  const known = oracleAddresses(end, cluster, flow);
  const ofFamily = (c: Cidr) => flow.family === undefined || c.family === flow.family;
  const isOwnPod = end.kind === "pod" && !end.pod.hostNetwork;
  const range = isOwnPod ? cluster.facts.podCidrs.filter(ofFamily).flatMap(everyAddress) : [];
  const possible = known.length > 0 ? known : range;
  if (possible.length === 0) {
    // Both whole families, whatever the family of the other endpoint: nothing is known about this one.
    const whole = (list: readonly Cidr[]) => list.some((c) => c.prefix === 0);
    return certain(whole(cidrs) && !whole(except));
  }
  const inside = possible.filter(
    (a) => cidrs.some((c) => oracleHolds(c, a)) && !except.some((c) => oracleHolds(c, a)),
  );
  return inside.length === possible.length ? "yes" : inside.length === 0 ? "no" : "maybe";
}

/** Only for the small ranges of generated clusters. */
function everyAddress({ family, first, prefix }: Cidr): readonly Address[] {
  const size = 2 ** ((family === 4 ? 32 : 128) - prefix);
  return Array.from({ length: size }, (_, i) => ({ family, value: first + BigInt(i) }));
}

export const isOneOf = (address: Address, list: readonly Address[]): boolean =>
  list.some(({ family, value }) => family === address.family && value === address.value);
