import { formatPolicy, type PolicyRef } from "../../../policy/model.js";
import type { SharedPriority } from "../../proof/shared-priorities.js";
import { finding } from "../finding.js";
import { listed, relatedPolicies } from "../naming.js";
import { type About, aboutPart, type LintContext, type LintRule } from "../rule.js";

/** S1.13: policies of one tier with one priority, and whether their order can matter. */
export const sharedPriority: LintRule = {
  code: "TW4106",
  *check(context) {
    for (const [shared, { result }] of context.sharedPriorities) {
      const { policies } = shared;
      const second = policies[1]!;
      const isHarmless = result === "never";
      yield finding(
        "TW4106",
        `${listed(policies.map(formatPolicy))} share ${priorityOf(shared)} in tier ${shared.tier}: ` +
          (isHarmless
            ? "they never disagree, in any cluster, so their order does not matter"
            : `they are evaluated in the order of their ${isOneApi(shared) ? "names" : "APIs and names"}`),
        {
          ...aboutPriority(second, context),
          related: relatedPolicies(policies.filter((policy) => policy !== second)),
          hint: isHarmless
            ? "Give each policy a priority of its own before a change makes them disagree."
            : "The APIs do not define the order, and other implementations may choose another. Give each policy a priority of its own.",
        },
      );
    }
  },
};

const isOneApi = ({ policies }: SharedPriority): boolean =>
  policies.every(({ dialect }) => dialect === policies[0]!.dialect);

/** As written in the policies. The KEP counts the other way round (S5.1), so that together with others there is no one number. */
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
