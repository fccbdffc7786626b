import { deciderPlace } from "../decider-place.js";
import { type DnsDenial, dnsDenials } from "../dns-denials.js";
import { type Finding, finding } from "../finding.js";
import type { LintContext, LintRule } from "../rule.js";

/** A default deny is soon written, and DNS soon forgotten: then nothing that goes by a name works. */
export const dnsDenied: LintRule = {
  code: "TW4005",
  *check(context) {
    for (const denial of dnsDenials(context.engine, "UDP")) yield denied(denial, context);
  },
};

function denied({ pods, by, direction, flow }: DnsDenial, context: LintContext): Finding {
  const { who, about } = deciderPlace(by, context);
  const podNames =
    pods.length === 1 ? `${pods[0]!.pod.namespace}/${pods[0]!.pod.name}` : `${pods.length} pods`;
  const message =
    by.kind !== "isolation"
      ? `${who} keeps ${podNames} from the cluster's DNS`
      : direction === "egress"
        ? `${who} isolates ${podNames} for egress, and nothing lets ${pods.length === 1 ? "it" : "them"} ask the cluster's DNS`
        : `${who} isolates the cluster's DNS for ingress, and nothing lets ${podNames} ask it`;
  return finding("TW4005", message, {
    ...about,
    hint: `Without DNS no Service is found by its name. Allow ${flow.port}/UDP and ${flow.port}/TCP to the DNS pods.`,
    witness: { kind: "flow", flow, verdict: "Deny" },
  });
}
