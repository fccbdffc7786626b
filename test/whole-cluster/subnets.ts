/** The machines of the cluster: a control plane, and two nodes. They have no other routes. */
export const machines = ["control-plane", "node1", "node2"] as const;

export type Machine = (typeof machines)[number];

export const nodes = ["node1", "node2"] as const;

const numberOf = (machine: Machine): number => machines.indexOf(machine);

/** An address of each family on the network between them. */
export const addressesOf = (machine: Machine): readonly [string, string] => [
  `172.30.0.${10 + numberOf(machine)}`,
  `fd30::${10 + numberOf(machine)}`,
];

/** Where the pods of a node have their addresses from. */
export const podRangesOf = (machine: Machine): readonly [string, string] => [
  `10.244.${numberOf(machine)}.0/24`,
  `fd00:10:244:${numberOf(machine)}::/64`,
];

export const clusterRanges = "10.244.0.0/16,fd00:10:244::/48";
export const serviceRanges = "10.96.0.0/16,fd00:10:96::/112";
export const firstService = "10.96.0.1";
export const dnsService = "10.96.0.10";
export const apiServer = `https://${addressesOf("control-plane")[0]}:6443`;
