import { formatPolicy, type PolicyRef } from "../../../policy/model.js";
import { type SharedPriority, sharedPriorities } from "../../proof/shared-priorities.js";
import { finding } from "../finding.js";
import { listed, relatedPolicies } from "../naming.js";
import { type About, aboutPart, type LintContext, type LintRule } from "../rule.js";

/** S1.13: policies of one tier with one priority, whatever they say. */
export const sharedPriority: LintRule = {
  code: "TW4106",
  *check(context) {
    for (const shared of sharedPriorities(context.state.tiers)) {
      const { policies, tier } = shared;
      const second = policies[1]!;
      yield finding(
        "TW4106",
        `${listed(policies.map(formatPolicy))} share ${priorityOf(shared)} of tier ${tier}; here they are evaluated in the order of their ${isOneApi(shared) ? "names" : "APIs and names"}`,
        {
          ...aboutPriority(second, context),
          related: relatedPolicies(policies.filter((policy) => policy !== second)),
          hint: "The APIs leave the order open, and other implementations may choose another. A priority of its own for each policy says what is meant.",
        },
      );
    }
  },
};

const isOneApi = ({ policies }: SharedPriority): boolean =>
  policies.every(({ dialect }) => dialect === policies[0]!.dialect);

/** As it stands in the policies. The KEP counts the other way round (S5.1), so that beside it there is no one number. */
export function priorityOf({ policies, precedence }: SharedPriority): string {
  const isKep = policies.map(({ dialect }) => dialect === "kep-2091");
  if (isKep.every(Boolean)) return `priority ${1000 - precedence}`;
  return isKep.some(Boolean) ? "one place in the order" : `priority ${precedence}`;
}

export function aboutPriority(policy: PolicyRef, context: LintContext): About {
  const object = context.objectOf(policy);
  const place = object?.document.placeOfKey([...object.path, "spec", "priority"]);
  return aboutPart(policy, place ?? policy.place());
}
