import { type Cluster } from "../../cluster/model.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { type Cidr, contains, covers, formatCidr, overlaps, singleAddress } from "../../net/cidr.js";
import { comparePolicies, type Lowered, type PlacedRule } from "../../policy/assemble.js";
import { samePriorities } from "./same-priority.js";
import { type DialectId, formatPolicy, type PolicyRef } from "../../policy/model.js";

/** Warnings about all policies together. */
export function setWarnings(
  cluster: Cluster,
  parts: readonly Lowered[],
  policies: readonly PolicyRef[],
): readonly Diagnostic[] {
  const rules = parts.flatMap((part) => part.rules);
  return [
    ...mixedTiers(rules),
    ...mixedApis(policies),
    ...ciliumOverBaseline(policies, rules),
    ...samePriorities(cluster, rules),
    ...serviceOnlyCidrs(cluster, rules),
  ];
}

const dialectTitles: Readonly<Record<DialectId, string>> = {
  "network-policy": "NetworkPolicy",
  "cluster-network-policy": "ClusterNetworkPolicy",
  "admin-network-policy": "AdminNetworkPolicy as released",
  "kep-2091": "AdminNetworkPolicy of KEP-2091",
  "first-draft": "the first draft's ClusterNetworkPolicy",
  cilium: "Cilium",
  foreign: "an API that is not evaluated",
};

// S1.12
function mixedTiers(rules: readonly PlacedRule[]): readonly Diagnostic[] {
  return (["admin", "baseline"] as const).flatMap((tier) => {
    const firsts = new Map<DialectId, PolicyRef>();
    const inTier = new Set(rules.filter((one) => one.tier === tier).map(({ rule }) => rule.origin.policy));
    // The order of the input does not matter.
    for (const policy of [...inTier].toSorted(comparePolicies))
      if (!firsts.has(policy.dialect)) firsts.set(policy.dialect, policy);
    const found = [...firsts.values()];
    if (found.length < 2) return [];
    const apis = found.map((policy) => `${dialectTitles[policy.dialect]} (${formatPolicy(policy)})`);
    return diagnostic("TW2004", `tier ${tier} contains policies of several APIs: ${apis.join(", ")}`, {
      place: found[1]!.place(),
      hint: "They are ordered by precedence, then by API, then by name. Convert them to one API to make the order explicit.",
    });
  });
}

// S4.4, S6.1
function mixedApis(policies: readonly PolicyRef[]): readonly Diagnostic[] {
  const first = (dialect: DialectId) => policies.find((policy) => policy.dialect === dialect);
  const found: Diagnostic[] = [];
  const [kep, draft] = [first("kep-2091"), first("first-draft")];
  const released = policies.find(
    ({ dialect, kind }) => dialect === "admin-network-policy" && kind === "AdminNetworkPolicy",
  );
  if (released !== undefined && kep !== undefined)
    found.push(
      diagnostic(
        "TW2005",
        `${formatPolicy(released)} uses the released API, ${formatPolicy(kep)} that of KEP-2091`,
        {
          place: kep.place(),
          hint: "Their priorities are in opposite order: the released API evaluates 0 first, KEP-2091 the largest number.",
        },
      ),
    );
  const other = first("cluster-network-policy") ?? first("admin-network-policy") ?? kep;
  if (draft !== undefined && other !== undefined)
    found.push(
      diagnostic(
        "TW2006",
        `first-draft policies (${formatPolicy(draft)}) are combined with another cluster-wide API (${formatPolicy(other)})`,
        {
          place: draft.place(),
          hint: "First-draft rules are evaluated before tier admin, so their Allow overrides any Deny there.",
        },
      ),
    );
  return found;
}

// S7.12
function ciliumOverBaseline(
  policies: readonly PolicyRef[],
  rules: readonly PlacedRule[],
): readonly Diagnostic[] {
  const cilium = policies.find((policy) => policy.dialect === "cilium");
  if (cilium === undefined || !rules.some((rule) => rule.tier === "baseline")) return [];
  return [
    diagnostic(
      "TW3005",
      "isolation by a Cilium policy is evaluated before the baseline; Cilium itself evaluates it after the baseline",
      {
        place: cilium.place(),
        hint: "Tierwall follows the order of tiers: network-policy, with its isolation, then baseline.",
      },
    ),
  ];
}

/** S1.9: Service addresses are rewritten before policy is applied, so such a CIDR matches nothing. */
function serviceOnlyCidrs(cluster: Cluster, rules: readonly PlacedRule[]): readonly Diagnostic[] {
  const { serviceCidrs, podCidrs } = cluster.facts;
  const serviceAddresses = cluster.services.flatMap((service) => service.addresses.map(singleAddress));
  // A load balancer may share the address of a node: then the CIDR is valid for the node.
  const holdsAnEnd = (cidr: Cidr) =>
    [cluster.nodes, cluster.pods].some((ends) =>
      [...ends.values()].some(({ addresses }) => addresses.some((address) => contains(cidr, address))),
    );
  const seen = new Set<string>();
  return rules.flatMap(({ rule }) => {
    const cidrs = rule.peers.flatMap((peer) => (peer.kind === "networks" ? peer.cidrs : []));
    return cidrs.flatMap((cidr) => {
      const only =
        serviceCidrs.some((range) => covers(range, cidr)) ||
        serviceAddresses.some((address) => covers(address, cidr));
      // Few are, so only these are compared with every endpoint.
      if (!only || podCidrs.some((range) => overlaps(range, cidr)) || holdsAnEnd(cidr)) return [];
      const key = `${formatPolicy(rule.origin.policy)} ${rule.origin.path} ${formatCidr(cidr)}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return diagnostic(
        "TW2002",
        `\`${formatCidr(cidr)}\` contains only Service addresses, which policies never see; it matches nothing`,
        {
          place: rule.origin.place(),
          object: formatPolicy(rule.origin.policy),
          hint: "Policies are evaluated for the endpoints of a Service. Select its pods instead.",
        },
      );
    });
  });
}
