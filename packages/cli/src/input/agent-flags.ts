import { hostname } from "node:os";
import type { AgentOptions, SourceOptions } from "@tierwall/agent";
import type { Address, Cidr } from "@tierwall/core/model";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type CiliumFlags, ciliumOptions } from "./cilium-flags.js";
import { metricsCommand, type MetricsFlags, withMetricsFlags } from "./metrics-flags.js";
import { type NodeFlags, nodeOptionsOf, withNodeFlags } from "./node-flags.js";
import { ownNamespace, withNamespaceFlag } from "../page/own-namespace.js";
import { duration } from "./quantity.js";
import { address, collect, collectWith, withLiveFactFlags } from "./state.js";

export interface AgentFlags extends NodeFlags, CiliumFlags, MetricsFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly podCidr?: readonly Cidr[];
  readonly kubeApiserver?: readonly Address[];
  readonly node?: string;
  readonly table: string;
  readonly auditLog?: string;
  readonly control: string;
  readonly stateDir: string;
  readonly dnsServer?: readonly Address[];
  readonly resync: number;
  readonly unknownPodsAfter?: UnknownPodsAfter;
  readonly cleanup?: boolean;
  readonly confirm: number;
  readonly guard?: readonly string[];
  readonly output: "text" | "json";
}

/** What happens to unknown pods once no agent has run for so many milliseconds. */
export interface UnknownPodsAfter {
  readonly milliseconds: number;
  readonly verdict: "allow" | "deny";
}

export function withAgentFlags(command: Command): Command {
  const withTable = withNodeFlags(withSourceFlags(command)).addOption(
    new Option("--table <name>", "the name of the nftables table").argParser(tableName).default("tierwall"),
  );
  return withMetricsFlags(withTable, "127.0.0.1:9465")
    .option("--audit-log <file>", "log denied packets as JSON lines, - for stdout")
    .option("--control <socket>", "where `agent status` and others ask", "/run/tierwall/agent.sock")
    .option(
      "--state-dir <folder>",
      "keeps counts, and the pod range of the Node, over restarts",
      "/var/lib/tierwall",
    )
    .option(
      "--dns-server <address>",
      "whose answers domain names are learned from (repeatable) (default: Service kube-system/kube-dns and its endpoints)",
      collectWith(address),
    )
    .addOption(
      new Option(
        "--unknown-pods-after <time:verdict>",
        "what happens to unknown pods when no agent has run for this long, such as 10m:allow; the kernel keeps the time (default: deny, however long)",
      ).argParser(unknownPodsAfter),
    )
    .addOption(
      new Option("--resync <time>", "how often the whole table is compared with what it should be")
        .argParser(duration)
        .default(300_000, "5m"),
    );
}

function unknownPodsAfter(text: string): UnknownPodsAfter {
  const [, time, verdict] = /^(.*):(allow|deny)$/.exec(text) ?? [];
  if (time === undefined)
    throw new InvalidArgumentError(`\`${text}\` is not a time and a verdict, such as 10m:allow`);
  const milliseconds = duration(time);
  // The agent renews three times within it, and must come to that on a node that is busy.
  if (milliseconds < shortestAbsence) throw new InvalidArgumentError(`\`${time}\` is less than 3s`);
  return { milliseconds, verdict: verdict as UnknownPodsAfter["verdict"] };
}

const shortestAbsence = 3_000;

function tableName(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,29}$/.test(text)) return text;
  throw new InvalidArgumentError(
    `\`${text}\` is not a name of small letters, digits, - and _, such as tierwall`,
  );
}

/** Where the state of the cluster comes from, and facts that it does not contain. */
function withSourceFlags(command: Command): Command {
  return withLiveFactFlags(
    withNamespaceFlag(command)
      .option(
        "-f, --filename <path>",
        "enforce the manifests of a file or a folder, and watch it (repeatable)",
        collect,
      )
      .option("-R, --recursive", "read subfolders as well")
      .option(
        "--kubeconfig <file>",
        "without -f: how to reach the cluster (default: as kubectl, or from inside a pod)",
      )
      .option("--context <name>", "the context of the kubeconfig")
      .option("--node <name>", "the node to enforce for (default: $NODE_NAME, or the name of this host)"),
  );
}

export function agentOptions(flags: AgentFlags): AgentOptions {
  const { auditLog } = flags;
  const logGroup = auditLog === undefined ? undefined : (flags.logGroup ?? usualLogGroup);
  return {
    source: sourceOptions(flags),
    node: { ...nodeOptionsOf(nodeName(flags), flags, logGroup), ...passAfter(flags) },
    table: flags.table,
    ...metricsCommand(flags),
    ...(auditLog === undefined ? {} : { auditLog }),
    control: flags.control,
    stateFolder: flags.stateDir,
    dnsServers: flags.dnsServer ?? [],
    resync: flags.resync,
  };
}

/** Where unknown pods pass anyway, or never, nothing changes with time. */
function passAfter({ unknownPods, unknownPodsAfter: after }: AgentFlags) {
  return unknownPods === "deny" && after?.verdict === "allow"
    ? { unknownPodsPassAfter: after.milliseconds }
    : {};
}

/** Why options contradict each other, if they do. */
export function contradiction({ unknownPods, unknownPodsAfter: after }: AgentFlags): string | undefined {
  if (unknownPods !== "allow" || after?.verdict !== "deny") return undefined;
  return "--unknown-pods allow lets unknown pods pass while the agent runs, so --unknown-pods-after cannot deny them when it is gone: leave one of them out";
}

/** Few use NFLOG at all, and those the first groups. */
const usualLogGroup = 465;

/** Kubernetes gives pods the name of their node where the manifest asks for it; kubelets use the name of the host. */
export const nodeName = ({ node }: AgentFlags): string =>
  node ?? process.env.NODE_NAME ?? hostname().toLowerCase();

function sourceOptions(flags: AgentFlags): SourceOptions {
  const { filename, recursive = false, kubeconfig, context } = flags;
  const state = {
    facts: {
      podCidrs: flags.podCidr ?? [],
      ...(flags.kubeApiserver === undefined ? {} : { apiServer: flags.kubeApiserver }),
    },
    ...ciliumOptions(flags),
  };
  if (filename !== undefined) return { kind: "files", paths: filename, recursive, state };
  return {
    kind: "cluster",
    state,
    namespace: flags.namespace ?? ownNamespace(),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
}
