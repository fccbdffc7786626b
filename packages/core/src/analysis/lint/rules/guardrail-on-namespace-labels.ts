import { namespaceNameLabel } from "../../../labels/requirement.js";
import type { PolicyRef } from "../../../policy/model.js";
import { finding } from "../finding.js";
import type { LintRule } from "../rule.js";

/** Only the name of a namespace is sure to be what it says. */
export const guardrailOnNamespaceLabels: LintRule = {
  code: "TW4011",
  *check(context) {
    const reported = new Set<PolicyRef>();
    for (const { rule } of context.guardrails) {
      const { policy } = rule.origin;
      if (rule.action !== "Deny" || reported.has(policy)) continue;
      const keys = new Set(
        rule.subject.namespaces.map(({ key }) => key).filter((key) => key !== namespaceNameLabel),
      );
      if (keys.size === 0) continue;
      reported.add(policy);
      const labels = [...keys].map((key) => `\`${key}\``).join(", ");
      yield finding(
        "TW4011",
        `whom this denies hangs on the namespace label ${labels}: who may change it escapes the denial`,
        {
          ...context.aboutSubject(policy),
          hint: "Where owners may label their namespaces, let an admission policy guard the label, or select namespaces by `kubernetes.io/metadata.name`.",
        },
      );
    }
  },
};
