import type { Address } from "../../../packages/core/src/net/address.js";
import {
  gatewayLink,
  hairpinSource,
  hostRoute,
  type LabNode,
  type LabPlan,
  type LabPod,
  type LabSpace,
} from "./plan.js";
import type { Setting } from "./prober.js";

/** How pods are attached to their node. */
export type Wiring = "routed" | "bridged";

/** The commands for `ip -batch`: in the root namespace, and then in each of the lab's. */
export interface WiringSteps {
  readonly create: readonly string[];
  /** In this order: a link that is there when a bridge takes it up forwards at once, and else a second later. */
  readonly inside: readonly ReadonlyMap<string, readonly string[]>[];
  /** Commands in which no address shows that they are about IPv6. */
  readonly insideIPv6: ReadonlyMap<string, readonly string[]>;
  readonly settings: readonly Setting[];
}

export function wiringSteps(plan: LabPlan, wiring: Wiring): WiringSteps {
  const { nodes, pods, outside } = plan;
  const spaces = [outside, ...nodes, ...pods].map(({ space }) => space);
  const create = [
    ...spaces.map((space) => `netns add ${space}`),
    ...nodes.map((node, i) => veth(`n${i}`, outside.space, "up", node.space)),
    ...nodes.flatMap((node) => node.pods.map((pod) => veth(pod.port, node.space, "eth0", pod.space))),
  ];
  const inside = [
    new Map(nodes.flatMap((node) => node.pods.map((pod) => [pod.space, podSteps(pod, node, wiring)]))),
    new Map(nodes.map((node) => [node.space, nodeSteps(plan, node, wiring)])),
    new Map([[outside.space, outsideSteps(plan)]]),
  ];
  const bridging = wiring === "bridged" ? "1" : "0";
  const settings = [
    ...setIn(nodes, { "ipv4/ip_forward": "1", "ipv6/conf/all/forwarding": "1", ...bridgeFilters(bridging) }),
    ...setIn([outside], {
      "ipv4/ip_nonlocal_bind": "1",
      "ipv6/ip_nonlocal_bind": "1",
      ...bridgeFilters("0"),
    }),
    // On a bridge, the kernel would redirect a rewritten packet's sender to a shorter route, which does not rewrite.
    ...setIn(pods, { "ipv4/conf/eth0/accept_redirects": "0", "ipv6/conf/eth0/accept_redirects": "0" }),
  ];
  return { create, inside, insideIPv6: new Map([[outside.space, ownAddressesLast]]), settings };
}

const bridgeFilters = (value: string): Readonly<Record<string, string>> => ({
  "bridge/bridge-nf-call-iptables": value,
  "bridge/bridge-nf-call-ip6tables": value,
});

const setIn = (spaces: readonly LabSpace[], values: Readonly<Record<string, string>>): readonly Setting[] =>
  spaces.flatMap(({ space }) =>
    Object.entries(values).map(([path, value]) => [space, `net/${path}`, value] as const),
  );

const veth = (name: string, space: string, peer: string, peerSpace: string): string =>
  `link add name ${name} netns ${space} type veth peer name ${peer} netns ${peerSpace}`;

/** Without addresses of its own making: those would be looked for twins first, for a second. */
const raise = (device: string, link?: string): readonly string[] => [
  `link set dev ${device} addrgenmode none`,
  `link set dev ${device} up`,
  ...(link === undefined ? [] : [`addr add ${link}/64 dev ${device} nodad`]),
];

const assign = (address: Address, device: string): string =>
  `addr add ${hostRoute(address)} dev ${device}${address.family === 6 ? " nodad" : ""}`;

/** IPv4 goes by an IPv6 neighbour as well. */
const via = (address: Address, link: string, device: string): string =>
  `route add ${hostRoute(address)} via ${address.family === 4 ? "inet6 " : ""}${link} dev ${device}`;

const byDefault = (link: string, device: string): readonly string[] => [
  `route add 0.0.0.0/0 via inet6 ${link} dev ${device}`,
  `route add ::/0 via ${link} dev ${device}`,
];

const ownAddressesLast = ["rule add pref 1 lookup 7", "rule add pref 2 lookup local", "rule del pref 0"];

/** Every address is its own, except those that lead to a node: these are looked up first. */
function outsideSteps({ nodes, outside }: LabPlan): readonly string[] {
  const owned = nodes.flatMap((node) =>
    [...node.addresses, ...node.pods.flatMap(({ pod }) => pod.addresses)].map(
      (address) => `${via(address, node.link, "sw")} table 7`,
    ),
  );
  return [
    "link set lo up",
    "link add name sw type bridge",
    ...nodes.flatMap((_, i) => [...raise(`n${i}`), `link set dev n${i} master sw`]),
    ...raise("sw", outside.link),
    ...owned,
    ...ownAddressesLast,
    "route add local 0.0.0.0/0 dev lo table local",
    "route add local ::/0 dev lo table local",
    // Its neighbours are not itself, whatever the line above says.
    "route add fe80::/64 dev sw table 7",
    `route add local ${outside.link} dev sw table 7`,
  ];
}

function nodeSteps({ nodes, outside }: LabPlan, node: LabNode, wiring: Wiring): readonly string[] {
  const others = nodes.filter((other) => other !== node);
  const elsewhere = others.flatMap((other) =>
    [...other.addresses, ...other.pods.flatMap(({ pod }) => pod.addresses)].map((address) =>
      via(address, other.link, "up"),
    ),
  );
  return [
    "link set lo up",
    ...raise("up", node.link),
    ...node.addresses.map((address) => assign(address, "up")),
    `addr add ${hairpinSource[4]}/32 dev lo`,
    `addr add ${hairpinSource[6]}/128 dev lo nodad`,
    ...(wiring === "bridged" ? bridgeSteps(node) : node.pods.flatMap(routedPortSteps)),
    ...elsewhere,
    ...byDefault(outside.link, "up"),
  ];
}

const routedPortSteps = ({ port, pod }: LabPod): readonly string[] => [
  ...raise(port, gatewayLink),
  ...pod.addresses.map((address) => `route add ${hostRoute(address)} dev ${port}`),
];

function bridgeSteps({ pods }: LabNode): readonly string[] {
  const addresses = pods.flatMap(({ pod }) => pod.addresses);
  return [
    "link add name br0 type bridge",
    ...pods.flatMap(({ port }) => [
      ...raise(port),
      `link set dev ${port} master br0`,
      // To itself through a Service, a frame goes back where it came from.
      `link set dev ${port} type bridge_slave hairpin on`,
    ]),
    ...raise("br0", gatewayLink),
    ...addresses.map((address) => `route add ${hostRoute(address)} dev br0`),
  ];
}

function podSteps({ pod, link }: LabPod, { pods }: LabNode, wiring: Wiring): readonly string[] {
  const neighbours = wiring === "bridged" ? pods.filter((other) => other.pod !== pod) : [];
  return [
    "link set lo up",
    ...raise("eth0", link),
    ...pod.addresses.map((address) => assign(address, "eth0")),
    ...neighbours.flatMap((other) =>
      other.pod.addresses.map((address) => `route add ${hostRoute(address)} dev eth0`),
    ),
    ...byDefault(gatewayLink, "eth0"),
  ];
}
