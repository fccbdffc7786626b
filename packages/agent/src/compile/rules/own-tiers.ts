import type { Tier, Tiers } from "@tierwall/core/model";

const known = new WeakMap<Tiers, Tiers>();

/**
 * S9.7: the tiers that a node enforces. A rule of the tier `foreign` means that the verdict is unknown, and its action is Allow: if
 * it were compiled, it would allow what the policies of the cluster deny. Returns the same object for the same tiers, since the
 * compiler reuses its results while they are the same.
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
