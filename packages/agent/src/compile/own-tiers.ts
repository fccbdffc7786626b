import type { Tier, Tiers } from "@tierwall/core/model";

/**
 * S9.7: the tiers that a node enforces. A rule of the tier `foreign` stands for a verdict that is not known, and its action is Allow:
 * compiled, it would open what the policies of the cluster deny.
 */
export class OwnTiers {
  private given: Tiers | undefined;
  private own: Tiers = { ingress: [], egress: [] };

  /** The same object for the same tiers: the compiler keeps what it made for as long as they are the same. */
  of(tiers: Tiers): Tiers {
    if (tiers === this.given) return this.own;
    this.given = tiers;
    const isClean = tiers.ingress.every(isOwn) && tiers.egress.every(isOwn);
    this.own = isClean ? tiers : { ingress: tiers.ingress.filter(isOwn), egress: tiers.egress.filter(isOwn) };
    return this.own;
  }
}

const isOwn = ({ name }: Tier): boolean => name !== "foreign";
