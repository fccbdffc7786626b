import type { AskedPort, AskedPair } from "../src/analysis/explain/ask.js";
import { podEndpoint } from "../src/analysis/endpoints/resolve.js";
import type { State } from "../src/state/state.js";
import type { Cluster } from "../src/cluster/model.js";
import type { Endpoint, Flow } from "../src/evaluate/flow.js";
import { type Address, bitsOf, type Family } from "../src/net/address.js";
import { type Cidr, lastOf, singleAddress } from "../src/net/cidr.js";
import type { Peer, Rule, Tiers } from "../src/policy/model.js";

/*
 * All connections of a small cluster that some rule could distinguish: every endpoint with every other, and with an
 * external address on both sides of each border of a CIDR; each port at which a rule begins or ends.
 */

/** All pods and nodes. */
export function membersOf(cluster: Cluster): readonly Endpoint[] {
  return [
    ...[...cluster.pods.values()].map((pod) => podEndpoint(cluster, pod)),
    ...[...cluster.nodes.values()].map((node) => ({ kind: "node", node }) as const),
  ];
}

/** Pairs of different members, in each family in which they may connect. */
export function memberPairs(cluster: Cluster): readonly AskedPair[] {
  const members = membersOf(cluster);
  return members.flatMap((source) =>
    members.flatMap((destination) => (source === destination ? [] : pairsOf(cluster, source, destination))),
  );
}

/** The other pairs: with an address, with a node by its address, and pods with themselves. */
export function otherPairs({ cluster, tiers }: State): readonly AskedPair[] {
  const members = membersOf(cluster);
  const addressed = [...cluster.nodes.values()].flatMap((node) =>
    node.addresses.map((address): Endpoint => ({ kind: "node", node, address })),
  );
  const outside = addressesAtBorders(cluster, tiers).map(
    (address): Endpoint => ({ kind: "external", address }),
  );
  const withMembers = [...addressed, ...outside].flatMap((end) =>
    members.flatMap((member) => [...pairsOf(cluster, end, member), ...pairsOf(cluster, member, end)]),
  );
  const withThemselves = members.flatMap((member) =>
    // S1.6: to its own address, or through a Service.
    pairsOf(cluster, member, member).flatMap((pair) => [pair, { ...pair, toItself: true }]),
  );
  return [...withMembers, ...withThemselves];
}

/** Every port for every pair; of all of them only a `share`, spread evenly. */
export function* flowsAmong(
  pairs: readonly AskedPair[],
  ports: readonly AskedPort[],
  share = 1,
): Iterable<Flow> {
  const limit = share * 2 ** 32;
  let count = 0;
  for (const pair of pairs)
    for (const port of ports) if (Math.imul(count++, 0x9e3779b1) >>> 0 < limit) yield { ...pair, ...port };
}

/** The first and last port of every rule, those next to them, and the numbers of named ports. */
export function portsAtBorders({ cluster, tiers }: State): readonly AskedPort[] {
  const found = new Map<string, AskedPort>();
  const add = (protocol: AskedPort["protocol"], ...numbers: readonly number[]) => {
    for (const port of numbers)
      if (port >= 1 && port <= 65535) found.set(`${protocol} ${port}`, { protocol, port });
  };
  for (const protocol of ["TCP", "UDP", "SCTP"] as const) add(protocol, 1, 65535);
  for (const { ports } of rulesOf(tiers))
    for (const port of ports === "every" ? [] : ports)
      if (port.kind === "range") add(port.protocol, port.first - 1, port.first, port.last, port.last + 1);
  for (const pod of cluster.pods.values()) for (const { protocol, port } of pod.ports) add(protocol, port);
  return [...found.values(), { protocol: "ICMP", port: 0 }];
}

function addressesAtBorders(cluster: Cluster, tiers: Tiers): readonly Address[] {
  const { facts, cidrGroups, services } = cluster;
  const known = [
    ...(facts.apiServer ?? []),
    ...(facts.dns ?? []).flatMap(({ addresses }) => addresses),
    ...services.flatMap(({ endpoints }) => (endpoints ?? []).map(({ address }) => address)),
  ];
  const cidrs = [
    ...rulesOf(tiers).flatMap(({ peers }) => peers.flatMap(cidrsOf)),
    ...cidrGroups.flatMap((group) => group.cidrs),
    ...known.map(singleAddress),
  ];
  const found = new Map<string, Address>();
  for (const cidr of cidrs) {
    const last = lastOf(cidr);
    for (const value of [cidr.first - 1n, cidr.first, last, last + 1n])
      if (value >= 0n && value < 1n << BigInt(bitsOf(cidr.family)))
        found.set(`${cidr.family} ${value}`, { family: cidr.family, value });
  }
  return [...found.values()];
}

const rulesOf = ({ egress, ingress }: Tiers): readonly Rule[] =>
  [...egress, ...ingress].flatMap(({ rules }) => rules);

function cidrsOf(peer: Peer): readonly Cidr[] {
  if (peer.kind === "networks") return [...peer.cidrs, ...peer.except];
  return peer.kind === "cidr-group" ? peer.except : [];
}

// S1.15: in each family that both have; if one is unknown, in those of the other.
function pairsOf(cluster: Cluster, source: Endpoint, destination: Endpoint): readonly AskedPair[] {
  const [from, to] = [familiesOf(cluster, source), familiesOf(cluster, destination)];
  if (from.length === 0 && to.length === 0) return [{ source, destination }];
  const common = from.length === 0 ? to : to.length === 0 ? from : from.filter((f) => to.includes(f));
  return common.map((family) => ({ source, destination, family }));
}

// S1.14: for a pod without an address, the pod ranges are used.
function familiesOf({ facts, nodes }: Cluster, end: Endpoint): readonly Family[] {
  const families = (list: readonly { readonly family: Family }[]) => [
    ...new Set(list.map(({ family }) => family)),
  ];
  switch (end.kind) {
    case "external":
      return [end.address.family];
    case "node":
      return families(end.address === undefined ? end.node.addresses : [end.address]);
    case "pod": {
      const { pod } = end;
      if (pod.addresses.length > 0) return families(pod.addresses);
      return families(pod.hostNetwork ? (nodes.get(pod.node ?? "")?.addresses ?? []) : facts.podCidrs);
    }
  }
}
