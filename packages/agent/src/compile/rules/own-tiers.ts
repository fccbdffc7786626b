import type { Tier, Tiers } from "@tierwall/core/model";

const known = new WeakMap<Tiers, Tiers>();

/**
 * S9.7: the tiers that a node enforces. A rule of the tier `foreign` stands for a verdict that is not known, and its action is Allow:
 * compiled, it would open what the policies of the cluster deny. The same object for the same tiers: the compiler keeps what it made
 * for as long as they are the same.
 */
export function ownTiers(tiers: Tiers): Tiers {
  const own = known.get(tiers) ?? {
    ingress: tiers.ingress.filter(isOwn),
    egress: tiers.egress.filter(isOwn),
  };
  known.set(tiers, own);
  return own;
}

const isOwn = ({ name }: Tier): boolean => name !== "foreign";
