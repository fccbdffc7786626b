import type { Family } from "../../../net/address.js";
import { formatCidr, isWholeFamily, parseCidr } from "../../../net/cidr.js";
import type { Peer, Rule } from "../../../policy/model.js";
import { type Finding, finding, type Witness } from "../finding.js";
import { type LintContext, type LintRule, type RuleInTier, rulesInTiers } from "../rule.js";
import { sampleAddress, samplePort } from "../samples.js";

const whole = { 4: "0.0.0.0/0", 6: "::/0" } as const;

/** S3.4: `0.0.0.0/0` does not match IPv6. */
export const otherFamilyOpen: LintRule = {
  code: "TW4002",
  *check(context) {
    for (const placed of rulesInTiers(context.state.tiers)) {
      const denied = onlyFamilyDenied(placed.rule);
      if (denied === undefined) continue;
      const open = denied === 4 ? 6 : 4;
      if (!isDeniedByAnother(placed, open, context)) yield* checkRule(placed, denied, open, context);
    }
  },
};

/** The family that a rule denies as a whole, where it does not do so with the other. */
function onlyFamilyDenied({ action, peers }: Rule): Family | undefined {
  if (action !== "Deny") return undefined;
  const families = ([4, 6] as const).filter((family) => peers.some((peer) => holdsFamily(peer, family)));
  return families.length === 1 ? families[0] : undefined;
}

function holdsFamily(peer: Peer, family: Family): boolean {
  if (peer.kind === "networks")
    return peer.cidrs.some((cidr) => cidr.family === family && isWholeFamily(cidr));
  return (
    peer.kind === "everything" ||
    (peer.kind === "entity" && peer.entity === "world" && peer.apiServer === undefined)
  );
}

/** The other family has a rule of its own in the same policy. */
function isDeniedByAnother({ rule, direction }: RuleInTier, open: Family, context: LintContext): boolean {
  const others = context.rulesByPolicy.get(rule.origin.policy) ?? [];
  return others.some(
    (other) =>
      other.direction === direction &&
      other.rule.action === "Deny" &&
      other.rule.peers.some((peer) => holdsFamily(peer, open)),
  );
}

function* checkRule(
  placed: RuleInTier,
  denied: Family,
  open: Family,
  context: LintContext,
): Iterable<Finding> {
  const { rule } = placed;
  const pods = context.podsOf(rule.subject);
  const speaks = pods.some(
    ({ pod }) => pod.addresses.length === 0 || pod.addresses.some((a) => a.family === open),
  );
  const witness = speaks ? openFlow(placed, open, context) : undefined;
  // Other policies close the gap.
  if (speaks && witness === undefined) return;
  const message = `this denies IPv${denied} only: \`${whole[denied]}\` does not match IPv${open}, which stays open`;
  const unheard = pods.length > 0 && !speaks;
  yield finding("TW4002", unheard ? `${message} once pods get such addresses` : message, {
    // As long as no pod here has such an address, nothing is open.
    ...(unheard ? { severity: "note" } : {}),
    ...context.about(rule, (value) => typeof value === "string" && isWhole(value, denied)),
    hint: `Add \`${whole[open]}\` next to it.`,
    ...(witness === undefined ? {} : { witness }),
  });
}

function isWhole(text: string, family: Family): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && formatCidr(cidr) === whole[family];
}

/** A connection of the other family that no rule of the tier matches, and that is allowed. */
function openFlow(
  { rule, tier, direction }: RuleInTier,
  open: Family,
  context: LintContext,
): Witness | undefined {
  const { engine } = context;
  const port = samplePort(rule);
  if (port === undefined) return undefined;
  const seen = new Set<unknown>();
  for (const pod of context.podsOf(rule.subject)) {
    const end = engine.ends.classOf(pod);
    if (end === undefined || seen.has(end)) continue;
    seen.add(end);
    for (const block of context.external.get(end) ?? []) {
      if (block.direction !== direction || block.family !== open) continue;
      if (!engine.ports.contains(block.allowed, port.protocol, port.port)) continue;
      for (const range of block.ranges) {
        const external = { kind: "external", address: sampleAddress(range) } as const;
        const [source, destination] = direction === "egress" ? [pod, external] : [external, pod];
        const flow = { source, destination, ...port, family: open };
        const { deciders } = engine.explain(flow)[direction];
        if (!deciders.some((by) => by.kind === "rule" && by.tier === tier))
          return { kind: "flow", flow, verdict: "Allow" };
      }
    }
  }
  return undefined;
}
