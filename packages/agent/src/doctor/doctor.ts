import type { Style } from "@tierwall/core";
import { counted, noStyle } from "@tierwall/core/report";
import { Nft } from "../kernel/nft.js";
import { askAgent } from "../observe/control.js";
import { podRange, runningAgent, synchronisation } from "./agent-checks.js";
import type { Finding, Found, Severity } from "./finding.js";
import { conntrackTable, forwarding, nftablesFeatures, programs } from "./kernel-checks.js";
import { bridges, flowtables, kubeProxy, networkPlugin, otherHooks } from "./network-checks.js";

/** What the doctor found on a node. */
export interface NodeCheckup {
  readonly version: 1;
  readonly node: string;
  readonly at: string;
  readonly findings: readonly Finding[];
}

/** Checks the node that this process runs on. Reads only: the kernel, files of the node, and the agent behind `control`. */
export async function examineNode(node: string, control: string, nft = new Nft()): Promise<NodeCheckup> {
  const agent = await askAgent(control, "GET /status");
  const checks: Readonly<Record<string, () => Found | Promise<Found>>> = {
    nftables: () => nftablesFeatures(nft),
    programs,
    "connection table": conntrackTable,
    forwarding,
    "network plugin": networkPlugin,
    "kube-proxy": () => kubeProxy(nft),
    "other programs": () => otherHooks(nft),
    flowtables: () => flowtables(nft),
    bridges,
    agent: () => runningAgent(agent),
    cluster: () => synchronisation(agent),
    "pod range": () => podRange(agent),
  };
  const findings: Finding[] = [];
  for (const [check, look] of Object.entries(checks)) findings.push({ check, ...(await look()) });
  return { version: 1, node, at: new Date().toISOString(), findings };
}

export const hasFailures = ({ findings }: NodeCheckup): boolean =>
  findings.some(({ severity }) => severity === "failure");

const marks: Readonly<Record<Severity, string>> = { ok: "✓", unknown: "?", warning: "!", failure: "✗" };

/** A line per check, with what to do below it. */
export function checkupText({ node, findings }: NodeCheckup, style: Style = noStyle): string {
  const lines = findings.flatMap(({ check, severity, message, remedy }) => [
    `${painted(severity, style)(marks[severity])} ${style.bold(check)}: ${message}`,
    ...(remedy === undefined ? [] : [`  → ${remedy}`]),
  ]);
  const count = (wanted: Severity) => findings.filter(({ severity }) => severity === wanted).length;
  const total = `${counted(count("failure"), "failure")}, ${counted(count("warning"), "warning")}, ${count("unknown")} not known`;
  return [style.bold(`node ${node}`), ...lines, total].join("\n");
}

function painted(severity: Severity, style: Style): (text: string) => string {
  switch (severity) {
    case "ok":
      return style.good;
    case "failure":
      return style.bad;
    default:
      return style.unsure;
  }
}
