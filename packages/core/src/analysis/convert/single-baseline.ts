import { type Direction, directions, formatPolicy } from "../../policy/model.js";
import type { State } from "../../state/state.js";
import { adminNetworkPolicyApi } from "./admin-api.js";
import type { Draft, DraftRule } from "./draft.js";
import type { Findings } from "./findings.js";

/** S4.1: one BaselineAdminNetworkPolicy for all, with one subject, without Pass and without names. */
export function singleBaseline(
  drafts: readonly Draft[],
  state: State,
  findings: Findings,
): Draft | undefined {
  const [first, ...others] = drafts;
  if (first === undefined) return undefined;
  const subjectOf = ({ subject }: Draft) => JSON.stringify([subject.namespaces, subject.pods]);
  const different = others.find((draft) => subjectOf(draft) !== subjectOf(first));
  if (different !== undefined) {
    findings.refusePolicy(
      different.definition.policy,
      `this policy has another subject than ${formatPolicy(first.definition.policy)}, and there is only one BaselineAdminNetworkPolicy`,
      "Give the policies of the baseline one subject, or keep them as ClusterNetworkPolicies.",
    );
    return undefined;
  }
  const ofDirection = (direction: Direction) =>
    drafts.flatMap(({ rules }) => rules[direction].map((rule) => asBaseline(rule, state, findings)));
  const rules = { ingress: ofDirection("ingress"), egress: ofDirection("egress") };
  const { limit } = adminNetworkPolicyApi;
  if (directions.some((direction) => rules[direction].length > limit.rules))
    findings.refusePolicy(
      first.definition.policy,
      `the baseline has more rules than the ${limit.rules} a direction that its one policy may have`,
    );
  const definitions = new Set(others.map(({ definition }) => definition));
  definitions.delete(first.definition);
  return { ...first, also: [...definitions], rules };
}

// S3.3: where nothing follows the baseline, to pass is to allow.
function asBaseline(rule: DraftRule, { tiers }: State, findings: Findings): DraftRule {
  if (rule.peers.some(({ what }) => what.kind === "domains"))
    findings.refuseRule(rule.origin, "allows domain names, which a BaselineAdminNetworkPolicy cannot");
  if (rule.action !== "Pass") return rule;
  if (tiers[rule.origin.direction].some(({ name }) => name === "cluster-default"))
    findings.refuseRule(
      rule.origin,
      "passes to the tier behind the baseline, which a BaselineAdminNetworkPolicy cannot",
    );
  return { ...rule, action: "Allow" };
}
