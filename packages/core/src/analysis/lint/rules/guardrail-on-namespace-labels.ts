import { namespaceNameLabel } from "../../../labels/requirement.js";
import type { PolicyRef } from "../../../policy/model.js";
import { finding } from "../finding.js";
import type { LintRule } from "../rule.js";

/** Only the name of a namespace cannot be chosen by those that it restricts. */
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
      yield finding("TW4011", `anyone who can edit the namespace label ${labels} can evade this Deny rule`, {
        ...context.aboutSubject(policy),
        hint: "If namespace owners can label their namespaces, protect the label with an admission policy, or select namespaces by `kubernetes.io/metadata.name`.",
      });
    }
  },
};
