import { listed } from "@tierwall/core";
import type { Condition } from "./condition.js";
import type { NodeReport } from "./node-reports.js";

type Programmed = Omit<Condition, "observedGeneration">;

/** On how many of the nodes the kernel holds a policy, by its digest, as far as their agents tell. */
export function programmedOn(
  digest: string,
  nodes: readonly string[],
  reports: ReadonlyMap<string, NodeReport>,
): Programmed {
  if (!nodes.some((node) => reports.has(node)))
    return programmed("Unknown", "NoAgents", "no node agent tells what it enforces");
  const missing = nodes.filter((node) => reports.get(node)?.programmed.has(digest) !== true);
  const all = `${nodes.length} node${nodes.length === 1 ? "" : "s"}`;
  if (missing.length === 0) return programmed("True", "Programmed", `${nodes.length} of ${all} enforce it`);
  const done = nodes.length - missing.length;
  const why = missing.map((node) => (reports.has(node) ? node : `${node}, which has no agent`));
  return programmed("False", "Pending", `${done} of ${all} enforce it; not yet ${listed(why)}`);
}

const programmed = (status: Condition["status"], reason: string, message: string): Programmed => ({
  type: "Programmed",
  status,
  reason,
  message,
});
