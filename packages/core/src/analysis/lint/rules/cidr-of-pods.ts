import { isObject } from "../../../manifest/document.js";
import type { Cluster } from "../../../cluster/model.js";
import { bitsOf, formatAddress } from "../../../net/address.js";
import { type Cidr, covers, formatCidr, parseCidr } from "../../../net/cidr.js";
import { type Finding, finding } from "../finding.js";
import { type LintContext, type LintRule, type RuleInTier, rulesInTiers } from "../rule.js";

/** Addresses of pods come and go; labels stay. And Cilium's CIDRs never match a pod (S7.5). */
export const cidrOfPods: LintRule = {
  code: "TW4003",
  *check(context) {
    const owners = podsByAddress(context.state.cluster);
    const seen = new Set<string>();
    for (const placed of rulesInTiers(context.state.tiers))
      for (const { cidr, reach } of networksOf(placed)) {
        const whose = whoseOnly(cidr, owners, context.state.cluster);
        if (whose === undefined) continue;
        const { policy, path } = placed.rule.origin;
        const key = `${policy.kind} ${policy.namespace ?? ""}/${policy.name} ${path} ${formatCidr(cidr)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield onlyPods(placed, cidr, reach, whose, context);
      }
  },
};

interface Network {
  readonly cidr: Cidr;
  readonly reach: "every-address" | "external";
}

function networksOf({ rule }: RuleInTier): readonly Network[] {
  return rule.peers.flatMap((peer) =>
    peer.kind === "networks" ? peer.cidrs.map((cidr) => ({ cidr, reach: peer.reach })) : [],
  );
}

/** `the address of pod shop/cart`, or the range that all pods are in. */
function whoseOnly(cidr: Cidr, owners: ReadonlyMap<string, string>, { facts }: Cluster): string | undefined {
  const range = facts.podCidrs.find((podCidr) => covers(podCidr, cidr));
  if (cidr.prefix === bitsOf(cidr.family)) {
    const owner = owners.get(formatAddress({ family: cidr.family, value: cidr.first }));
    if (owner !== undefined) return `is the address of pod ${owner}`;
  }
  return range === undefined ? undefined : `holds only pods: it is in their range ${formatCidr(range)}`;
}

function podsByAddress({ pods }: Cluster): ReadonlyMap<string, string> {
  return new Map(
    [...pods].flatMap(([name, pod]) =>
      pod.hostNetwork ? [] : pod.addresses.map((address) => [formatAddress(address), name] as const),
    ),
  );
}

function onlyPods(
  { rule }: RuleInTier,
  cidr: Cidr,
  reach: Network["reach"],
  whose: string,
  context: LintContext,
): Finding {
  const [effect, hint] =
    reach === "external"
      ? ["; Cilium's CIDRs never match pods, so it matches nothing", "Select the pods by their labels."]
      : ["", "Pods get other addresses when they are created again: select them by their labels instead."];
  return finding("TW4003", `\`${formatCidr(cidr)}\` ${whose}${effect}`, {
    ...context.about(rule, (value) => {
      const written = typeof value === "string" ? parseCidr(value) : undefined;
      return !isObject(value) && written !== undefined && formatCidr(written) === formatCidr(cidr);
    }),
    hint,
  });
}
