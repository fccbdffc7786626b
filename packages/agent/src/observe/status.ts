import type { Style } from "@tierwall/core";
import { noStyle } from "@tierwall/core/report";
import type { AuditEnd } from "./audit-line.js";
import type { CutConnection } from "./cut-report.js";
import { ago, amount } from "./hits.js";
import type { NodeProblem } from "./node-problems.js";

/** The status of an agent. Absent fields do not apply, or not yet. */
export interface AgentStatus {
  readonly version: 1;
  /** When the status was created. */
  readonly at: string;
  readonly node: string;
  /** When it was started. */
  readonly since: string;
  readonly table: string;
  readonly generation: number;
  /** Nothing is dropped on this node. */
  readonly shadow: boolean;
  /** What happens to unknown pods. `passAfter`: they are allowed after no agent has run for this many milliseconds. */
  readonly unknownPods?: { readonly verdict: "deny" | "allow"; readonly passAfter?: number };
  readonly pods: { readonly programmed: number; readonly waiting: number };
  readonly policies: number;
  readonly rules: number;
  readonly lastApply?: { readonly at: string; readonly wrote: string; readonly milliseconds: number };
  /** Why the kernel does not have the latest state yet. */
  readonly failing?: string;
  /** Problems with the network of the node that the agent cannot fix. */
  readonly problems?: readonly NodeProblem[];
  readonly driftRepairs: number;
  /** Rules on trial: if they are not confirmed by then, the previous rules are restored. */
  readonly trial?: { readonly until: string };
  readonly source: readonly SourceStatus[];
  readonly audit?: { readonly running: boolean; readonly lines: number; readonly suppressed: number };
  readonly cutConnections: number;
  /** The last ones, the latest first. */
  readonly lastCut?: readonly CutConnection[];
  readonly dns?: { readonly names: number; readonly queries: number; readonly addresses: number };
  /** In bytes. */
  readonly memory: number;
}

/** Where the state comes from: a folder of manifests, or one kind of objects of a cluster. */
export interface SourceStatus {
  readonly what: string;
  readonly ok: boolean;
  /** `synced`, `forbidden`, `3 errors in policies.yaml`. */
  readonly state: string;
  readonly lastChange?: string;
}

export function statusText(status: AgentStatus, style: Style = noStyle): string {
  const now = Date.parse(status.at);
  const rows = rowsOf(status, now, style).filter((row) => row !== undefined);
  const width = Math.max(...rows.map(([name]) => name.length));
  const title = `${style.bold(`agent of node ${status.node}`)}, up ${ago(status.since, now)}`;
  return [title, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)].join("\n");
}

type Row = readonly [name: string, text: string] | undefined;

function rowsOf(status: AgentStatus, now: number, style: Style): readonly Row[] {
  const { pods, lastApply, failing, trial, audit, dns } = status;
  return [
    [
      "enforcing",
      status.shadow ? style.unsure("no: shadow mode, denials are only counted and logged") : "yes",
    ],
    failing === undefined ? undefined : ["failing", style.bad(failing)],
    ...(status.problems ?? []).map(({ message }): Row => ["problem", style.bad(message)]),
    trial && [
      "on trial",
      style.unsure(
        `confirm within ${ago(status.at, Date.parse(trial.until))}, or the previous rules are restored`,
      ),
    ],
    status.unknownPods?.passAfter === undefined
      ? undefined
      : [
          "unknown pods",
          `denied; allowed after no agent has run for ${ago(status.at, Date.parse(status.at) + status.unknownPods.passAfter)}`,
        ],
    ["table", `inet ${status.table}, generation ${status.generation}`],
    [
      "pods",
      `${pods.programmed} programmed${pods.waiting > 0 ? style.unsure(`, ${pods.waiting} waiting`) : ""}`,
    ],
    ["policies", `${status.policies} in the cluster, ${status.rules} rules apply to pods of this node`],
    lastApply && [
      "last apply",
      `${ago(lastApply.at, now)} ago: ${lastApply.wrote} in ${lastApply.milliseconds.toFixed(0)} ms`,
    ],
    ["drift", repairs(status.driftRepairs)],
    ["cut", cuts(status.cutConnections)],
    ...(status.lastCut ?? []).map((connection): Row => ["", cutText(connection, now)]),
    ...status.source.map((source) => sourceRow(source, now, style)),
    ["audit log", audit === undefined ? "off" : auditText(audit, style)],
    dns && [
      "names",
      `${dns.names} sets, ${amount(dns.queries)} queries, ${amount(dns.addresses)} addresses learned`,
    ],
    ["memory", `${Math.round(status.memory / 1_000_000)} MB`],
  ];
}

function repairs(count: number): string {
  if (count === 0) return "none: no other process changed the table";
  return `repaired ${count === 1 ? "once" : `${count} times`}`;
}

/** `3s ago: shop/cart (10.9.0.11:44000) → shop/api (10.9.0.12:8080) TCP` */
const cutText = ({ at, protocol, source, destination }: CutConnection, now: number): string =>
  `${ago(at, now)} ago: ${endText(source)} → ${endText(destination)} ${protocol}`;

function endText(end: AuditEnd): string {
  const { address, port } = end;
  const socket = port === undefined ? address : `${address.includes(":") ? `[${address}]` : address}:${port}`;
  switch (end.kind) {
    case "pod":
      return `${[end.pod, ...(end.sharedWith ?? [])].join(" or ")} (${socket})`;
    case "node":
      return `node ${end.node} (${socket})`;
    case "external":
      return socket;
  }
}

const cuts = (count: number): string => `${count} established ${count === 1 ? "connection" : "connections"}`;

function sourceRow({ what, ok, state, lastChange }: SourceStatus, now: number, style: Style): Row {
  const changed = lastChange === undefined ? "" : `, changed ${ago(lastChange, now)} ago`;
  return ["source", `${what}: ${ok ? state : style.bad(state)}${changed}`];
}

function auditText(audit: NonNullable<AgentStatus["audit"]>, style: Style): string {
  const figures = `${amount(audit.lines)} lines, ${amount(audit.suppressed)} suppressed`;
  return audit.running ? figures : `${style.bad("not running")}; ${figures}`;
}
