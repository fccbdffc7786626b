import { deciderPlace } from "../decider-place.js";
import { dnsDenials } from "../dns-denials.js";
import { finding } from "../finding.js";
import type { LintRule } from "../rule.js";

/** An answer that is too long for a packet is asked for again over TCP. */
export const dnsOverUdpOnly: LintRule = {
  code: "TW4006",
  *check(context) {
    const { engine } = context;
    const withoutDns = new Set(dnsDenials(engine, "UDP").flatMap(({ pods }) => pods.map(({ pod }) => pod)));
    for (const { pods, by, flow } of dnsDenials(engine, "TCP", withoutDns)) {
      const podNames =
        pods.length === 1 ? `${pods[0]!.pod.namespace}/${pods[0]!.pod.name}` : `${pods.length} pods`;
      yield finding("TW4006", `${podNames} can ask the cluster's DNS over UDP, and not over TCP`, {
        ...deciderPlace(by, context).about,
        hint: `Answers that are too long for one packet are asked for again over TCP: allow ${flow.port}/TCP, too.`,
        witness: { kind: "flow", flow, verdict: "Deny" },
      });
    }
  },
};
