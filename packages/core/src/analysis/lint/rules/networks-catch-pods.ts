import type { Pod } from "../../../cluster/model.js";
import type { PodEndpoint } from "../../../evaluate/flow.js";
import type { Address } from "../../../net/address.js";
import { contains, covers, isWholeFamily } from "../../../net/cidr.js";
import type { Peer, PodSelection, Rule, TierName } from "../../../policy/model.js";
import { flowBetween } from "../../endpoints/example-flow.js";
import { finding, type Witness } from "../finding.js";
import { type LintContext, type LintRule, type RuleInTier, rulesInTiers } from "../rule.js";
import { samplePort } from "../samples.js";

type Networks = Extract<Peer, { kind: "networks" }>;

/** S3.4: a CIDR in `networks` matches the pods in it as well, which few expect of a rule about the internet. */
export const networksCatchPods: LintRule = {
  code: "TW4008",
  *check(context) {
    const spokenOf = spokenOfIn(context);
    const { podCidrs } = context.state.cluster.facts;
    for (const placed of rulesInTiers(context.state.tiers)) {
      const { rule, tier, direction } = placed;
      if ((tier !== "admin" && tier !== "baseline") || direction !== "egress" || rule.action === "Pass")
        continue;
      const networks = rule.peers.filter((peer): peer is Networks => peer.kind === "networks");
      if (networks.length === 0 || rule.peers.some(({ kind }) => kind === "pods")) continue;
      // The range of pods means pods: that is another finding.
      if (networks.every((peer) => peer.cidrs.every((cidr) => podCidrs.some((range) => covers(range, cidr)))))
        continue;
      const witness = caughtFlow(placed, networks, spokenOf, context);
      if (witness === undefined) continue;
      const does = rule.action === "Deny" ? "denies" : "allows";
      yield finding(
        "TW4008",
        `this ${does} traffic between pods as well: their addresses are in these networks`,
        {
          ...context.about(rule, (_value, key) => key === "networks"),
          hint: `If it is about addresses outside the cluster, put a rule for pods before it: \`action: ${before(rule)}\`, \`to: [{namespaces: {}}]\`.`,
          witness,
        },
      );
    }
  },
};

/** A BaselineAdminNetworkPolicy cannot pass (S4.1). */
const before = ({ origin }: Rule): string =>
  origin.policy.kind === "BaselineAdminNetworkPolicy" ? "Allow" : "Pass";

/** Two pods are enough where any are; where none are, not all pairs of a large cluster need be tried. */
const mostTries = 2000;

/** A connection between pods that this rule decides, of a pod for which no earlier rule is about pods. */
function caughtFlow(
  placed: RuleInTier,
  networks: readonly Networks[],
  spokenOf: SpokenOf,
  context: LintContext,
): Witness | undefined {
  const { rule, tier, position } = placed;
  const port = samplePort(rule);
  const sources = context
    .podsOf(rule.subject)
    .filter(({ pod }) => (spokenOf[tier]?.get(pod) ?? Infinity) > position);
  if (port === undefined || sources.length === 0) return undefined;
  const caught = context.podsOf(everyPod).filter((pod) => networks.some((peer) => mayHold(peer, pod)));
  let tries = 0;
  for (const source of sources)
    for (const destination of caught) {
      if (destination.pod === source.pod) continue;
      if (++tries > mostTries) return undefined;
      const family = destination.pod.addresses.find((own) =>
        networks.some((peer) => holds(peer, own)),
      )?.family;
      const flow = flowBetween(source, destination, port, family);
      const { verdict, egress } = context.engine.explain(flow);
      const [by, ...others] = egress.deciders;
      if (by?.kind === "rule" && by.rule === rule && others.length === 0)
        return { kind: "flow", flow, verdict };
    }
  return undefined;
}

const everyPod: PodSelection = { namespaces: [], pods: [] };

const holds = ({ cidrs }: Networks, address: Address): boolean =>
  cidrs.some((cidr) => contains(cidr, address));

/** By tier, for each pod the first rule that is about its traffic to pods, which was intended there. */
type SpokenOf = Partial<Record<TierName, ReadonlyMap<Pod, number>>>;

function spokenOfIn(context: LintContext): SpokenOf {
  const tiers = context.state.tiers.egress.map(({ name, rules }) => {
    const firsts = new Map<Pod, number>();
    for (const [position, { subject, peers }] of rules.entries())
      if (peers.some(({ kind }) => kind === "pods"))
        for (const { pod } of context.podsOf(subject)) if (!firsts.has(pod)) firsts.set(pod, position);
    return [name, firsts] as const;
  });
  return Object.fromEntries(tiers);
}

/** S1.14: of a pod without an address it is known only that it is in a whole family, or in the range of pods. */
function mayHold(peer: Networks, { pod }: PodEndpoint): boolean {
  return pod.addresses.length === 0
    ? peer.cidrs.some(isWholeFamily)
    : pod.addresses.some((address) => holds(peer, address));
}
