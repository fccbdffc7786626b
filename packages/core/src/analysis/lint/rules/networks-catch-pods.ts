import type { PodEndpoint } from "../../../evaluate/flow.js";
import { isSubject } from "../../../evaluate/match.js";
import { contains, isWholeFamily } from "../../../net/cidr.js";
import type { Peer, Rule } from "../../../policy/model.js";
import { finding, type Witness } from "../finding.js";
import { type LintContext, type LintRule, type PlacedRule, rulesOf } from "../rule.js";
import { samplePort } from "../sample-port.js";

type Networks = Extract<Peer, { kind: "networks" }>;

/** S3.4: a CIDR in `networks` matches the pods in it as well, which few expect of a rule about the internet. */
export const networksCatchPods: LintRule = {
  code: "TW4008",
  *check(context) {
    for (const placed of rulesOf(context.state.tiers)) {
      const { rule, tier, direction } = placed;
      if ((tier !== "admin" && tier !== "baseline") || direction !== "egress" || rule.action === "Pass")
        continue;
      const networks = rule.peers.filter((peer): peer is Networks => peer.kind === "networks");
      if (networks.length === 0 || rule.peers.some(({ kind }) => kind === "pods")) continue;
      const witness = caughtFlow(placed, networks, context);
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

/** A connection between pods that this rule decides, of a pod for which no rule before it speaks of pods. */
function caughtFlow(
  placed: PlacedRule,
  networks: readonly Networks[],
  context: LintContext,
): Witness | undefined {
  const { engine } = context;
  const port = samplePort(placed.rule);
  if (port === undefined) return undefined;
  const caught = context
    .podsOf({ namespaces: [], pods: [] })
    .filter((pod) => networks.some((peer) => mayHold(peer, pod)));
  let tries = 0;
  for (const source of context.podsOf(placed.rule.subject)) {
    if (isSpokenOf(placed, source, context)) continue;
    for (const destination of caught) {
      if (destination.pod === source.pod) continue;
      if (++tries > mostTries) return undefined;
      const family = destination.pod.addresses.find((own) =>
        networks.some(({ cidrs }) => cidrs.some((c) => contains(c, own))),
      )?.family;
      const flow = { source, destination, ...port, ...(family === undefined ? {} : { family }) };
      const { verdict, egress } = engine.explain(flow);
      const [by, ...others] = egress.deciders;
      if (by?.kind === "rule" && by.rule === placed.rule && others.length === 0)
        return { kind: "flow", flow, verdict };
    }
  }
  return undefined;
}

/** S1.14: of a pod without an address it is known only that it is in a whole family, or in the range of pods. */
function mayHold({ cidrs }: Networks, { pod }: PodEndpoint): boolean {
  return pod.addresses.length === 0
    ? cidrs.some(isWholeFamily)
    : pod.addresses.some((address) => cidrs.some((cidr) => contains(cidr, address)));
}

/** Whether a rule before this one is about traffic of this pod to pods: then somebody has thought of them. */
function isSpokenOf({ tier, position }: PlacedRule, pod: PodEndpoint, { state }: LintContext): boolean {
  const rules = state.tiers.egress.find(({ name }) => name === tier)?.rules ?? [];
  return rules
    .slice(0, position)
    .some(({ subject, peers }) => peers.some(({ kind }) => kind === "pods") && isSubject(subject, pod));
}
