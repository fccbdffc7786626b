import { blameOf } from "../blame.js";
import { type DnsCut, dnsCuts } from "../dns-cut.js";
import { type Finding, finding } from "../finding.js";
import type { LintContext, LintRule } from "../rule.js";

/** A default deny is soon written, and DNS soon forgotten: then nothing that goes by a name works. */
export const dnsCutOff: LintRule = {
  code: "TW4005",
  *check(context) {
    for (const cut of dnsCuts(context.engine, "UDP")) yield cutOff(cut, context);
  },
};

function cutOff({ pods, by, direction, flow }: DnsCut, context: LintContext): Finding {
  const { who, about } = blameOf(by, context);
  const whom = pods.length === 1 ? `${pods[0]!.pod.namespace}/${pods[0]!.pod.name}` : `${pods.length} pods`;
  const message =
    by.kind !== "isolation"
      ? `${who} keeps ${whom} from the cluster's DNS`
      : direction === "egress"
        ? `${who} isolates ${whom} for egress, and nothing lets ${pods.length === 1 ? "it" : "them"} ask the cluster's DNS`
        : `${who} isolates the cluster's DNS for ingress, and nothing lets ${whom} ask it`;
  return finding("TW4005", message, {
    ...about,
    hint: `Without DNS no Service is found by its name. Allow ${flow.port}/UDP and ${flow.port}/TCP to the DNS pods.`,
    witness: { kind: "flow", flow, verdict: "Deny" },
  });
}
