import { dotted, podAddress } from "./addresses.js";
import type { JsonObject } from "./json.js";
import type { Random } from "./random.js";
import { roles, teams } from "./vocabulary.js";

/** How many ports, ranges of ports and CIDRs each of these policies has. */
const each = 5;

/** A policy with ports and CIDRs that hardly any other has: what generators write, and what cuts ports into crumbs. */
export function portHeavyPolicy(
  index: number,
  random: Random,
): { readonly name: string; readonly spec: JsonObject } {
  const direction = index % 2 === 0 ? "ingress" : "egress";
  const peers = [
    { namespaceSelector: { matchLabels: { team: random.pick(teams) } } },
    { podSelector: { matchLabels: { component: random.pick(roles).component } } },
    ...Array.from({ length: each }, () => ({ ipBlock: { cidr: cidr(random) } })),
  ];
  const ports = [
    ...Array.from({ length: each }, () => ({ port: random.between(1024, 32_767), protocol: "TCP" })),
    ...Array.from({ length: each }, () => {
      const port = random.between(1024, 32_000);
      return { endPort: port + random.between(1, 200), port, protocol: "TCP" };
    }),
  ];
  const rule = direction === "ingress" ? { from: peers, ports } : { ports, to: peers };
  return {
    name: `generated-${index}`,
    spec: {
      [direction]: [rule],
      podSelector: { matchLabels: { component: random.pick(roles).component } },
      policyTypes: [direction === "ingress" ? "Ingress" : "Egress"],
    },
  };
}

/** Mostly outside the cluster; some are the pods of one node. */
function cidr(random: Random): string {
  if (random.chance(0.04)) return `${dotted(podAddress(random.below(24), -2))}/24`;
  return `172.${random.between(16, 31)}.${random.below(256)}.0/${random.between(24, 28)}`;
}
