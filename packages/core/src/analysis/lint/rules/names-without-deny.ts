import { compile, type EndClass, type ExternalBlock } from "../../../engine/index.js";
import { everyPort, offsets, type PortSetId, type PortSets } from "../../../sets/port-sets.js";
import { describePeer } from "../../../policy/describe.js";
import type { Peer, Rule, Tier, Tiers } from "../../../policy/model.js";
import { type Finding, finding } from "../finding.js";
import { externalByClass, type LintContext, type LintRule, type RuleInTier, rulesInTiers } from "../rule.js";

/** S8.2: allowing a name denies no other: without a deny behind it, the rule changes nothing. */
export const namesWithoutDeny: LintRule = {
  code: "TW4007",
  *check(context) {
    const allowing = [...rulesInTiers(context.state.tiers)].filter(
      ({ rule }) => rule.action === "Allow" && rule.peers.some(isByName),
    );
    if (allowing.length === 0) return;
    const rest = new WithoutNames(context);
    for (const placed of allowing) if (rest.allowsAnyway(placed)) yield changesNothing(placed, context);
  },
};

const isByName = (peer: Peer): boolean => peer.kind === "domains";

/** What would be if no rule went by names. */
class WithoutNames {
  private readonly tiers: Tiers;
  private readonly engine;
  private readonly external: ReadonlyMap<EndClass, readonly ExternalBlock[]>;

  constructor(private readonly context: LintContext) {
    this.tiers = withoutNames(context.state.tiers);
    this.engine = compile(context.state.cluster, this.tiers);
    this.external = externalByClass(this.engine);
  }

  /** Whether all pods of the rule reach every external address on its ports without it. */
  allowsAnyway({ rule }: RuleInTier): boolean {
    const pods = this.context.podsOf(rule.subject);
    // Without such pods, nothing may deny them in any cluster.
    if (pods.length === 0) return !this.context.isNeededForAddresses(rule, this.tiers);
    const { ports } = this.engine;
    const wanted = portsOf(rule, ports);
    return pods.every((pod) => {
      const end = this.engine.ends.classOf(pod);
      const blocks = (end && this.external.get(end)) ?? [];
      return blocks.every(
        ({ direction, allowed }) => direction === "ingress" || ports.subtract(wanted, allowed) === 0,
      );
    });
  }
}

function withoutNames(tiers: Tiers): Tiers {
  const egress = tiers.egress.map(
    (tier): Tier => ({
      ...tier,
      rules: tier.rules.map((rule) => ({ ...rule, peers: rule.peers.filter((peer) => !isByName(peer)) })),
    }),
  );
  return { ...tiers, egress };
}

/** Names of ports are no concern outside the cluster (S1.8). */
function portsOf({ ports }: Rule, sets: PortSets): PortSetId {
  if (ports === "every") return everyPort;
  return sets.ofRanges(
    ports.flatMap((port) => {
      if (port.kind === "named") return [];
      if (port.kind === "icmp") return [[offsets.ICMP, offsets.ICMP + 1] as const];
      return [[offsets[port.protocol] + port.first, offsets[port.protocol] + port.last + 1] as const];
    }),
  );
}

function changesNothing({ rule }: RuleInTier, context: LintContext): Finding {
  const names = rule.peers.filter(isByName).map(describePeer).join(", ");
  return finding("TW4007", `allowing ${names} changes nothing: nothing behind it denies other addresses`, {
    ...context.about(rule, (_value, key) => key === "domainNames" || key === "toFQDNs"),
    hint: 'A rule with names only allows. Deny the rest after it: `networks: [0.0.0.0/0, "::/0"]`.',
  });
}
