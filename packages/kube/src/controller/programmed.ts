import { listed } from "@tierwall/core/analysis";
import type { Condition, Statement } from "./condition.js";
import type { NodeReport } from "./node-reports.js";

/** On how many of the nodes the kernel holds a policy, by its digest, as far as their agents report. */
export function programmedOn(
  digest: string,
  nodes: readonly string[],
  reports: ReadonlyMap<string, NodeReport>,
): Statement {
  if (!nodes.some((node) => reports.has(node)))
    return programmed("Unknown", "NoAgents", "no node agent reports what it enforces");
  const lacking = nodes.flatMap((node) => lackAt(node, digest, reports.get(node)));
  const done = `enforced on ${nodes.length - lacking.length} of ${nodes.length} node${nodes.length === 1 ? "" : "s"}`;
  return lacking.length === 0
    ? programmed("True", "Programmed", done)
    : programmed("False", "Pending", `${done}; not yet on ${listed(lacking)}`);
}

/** The node, and why it does not enforce the policy; nothing where it does. */
function lackAt(node: string, digest: string, report: NodeReport | undefined): readonly string[] {
  if (report === undefined) return [`${node} (it has no agent)`];
  if (report.shadow) return [`${node} (its agent is in shadow mode)`];
  if (report.programmed.has(digest)) return [];
  const isSilent = Date.now() - Date.parse(report.renewed) > longestSilence;
  return [isSilent ? `${node} (its agent is silent since ${report.renewed.slice(0, 19)}Z)` : node];
}

/** Milliseconds; much longer than the time between two reports, as clocks may differ. */
const longestSilence = 300_000;

const programmed = (status: Condition["status"], reason: string, message: string): Statement => ({
  type: "Programmed",
  status,
  reason,
  message,
});
