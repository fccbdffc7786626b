import { hostname } from "node:os";
import type { AgentOptions, SourceOptions } from "@tierwall/agent";
import type { Address, Cidr } from "@tierwall/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { metricsCommand, type MetricsFlags, withMetricsFlags } from "./metrics-flags.js";
import { type NodeFlags, nodeOptionsOf, withNodeFlags } from "./node-flags.js";
import { ownNamespace, withNamespaceFlag } from "./own-namespace.js";
import { duration } from "./quantity.js";
import { address, collect, collectWith, withLiveFactFlags } from "./state.js";

export interface AgentFlags extends NodeFlags, MetricsFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly podCidr?: readonly Cidr[];
  readonly kubeApiserver?: readonly Address[];
  readonly ciliumEnforcement?: "default" | "always" | "never";
  readonly node?: string;
  readonly table: string;
  readonly auditLog?: string;
  readonly control: string;
  readonly stateDir: string;
  readonly dnsServer?: readonly Address[];
  readonly resync: number;
  readonly cleanup?: boolean;
  readonly confirm: number;
  readonly guard?: readonly string[];
  readonly output: "text" | "json";
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
      new Option("--resync <time>", "how often the whole table is compared with what it should be")
        .argParser(duration)
        .default(300_000, "5m"),
    );
}

function tableName(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,29}$/.test(text)) return text;
  throw new InvalidArgumentError(
    `\`${text}\` is not a name of small letters, digits, - and _, such as tierwall`,
  );
}

/** Where the state of the cluster comes from, and what it does not tell. */
function withSourceFlags(command: Command): Command {
  return withLiveFactFlags(
    withNamespaceFlag(command)
      .option(
        "-f, --filename <path>",
        "enforce the manifests of a file or a folder, and watch it (repeatable)",
        collect,
      )
      .option("-R, --recursive", "read folders with all folders below them")
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
    node: nodeOptionsOf(nodeName(flags), flags, logGroup),
    table: flags.table,
    ...metricsCommand(flags),
    ...(auditLog === undefined ? {} : { auditLog }),
    control: flags.control,
    stateFolder: flags.stateDir,
    dnsServers: flags.dnsServer ?? [],
    resync: flags.resync,
  };
}

/** Few use NFLOG at all, and those the first groups. */
const usualLogGroup = 465;

/** Kubernetes tells pods the name of their node where the manifest asks for it; kubelets use the name of the host. */
const nodeName = ({ node }: AgentFlags): string => node ?? process.env.NODE_NAME ?? hostname().toLowerCase();

function sourceOptions(flags: AgentFlags): SourceOptions {
  const { filename, recursive = false, kubeconfig, context, ciliumEnforcement } = flags;
  const state = {
    facts: {
      podCidrs: flags.podCidr ?? [],
      ...(flags.kubeApiserver === undefined ? {} : { apiServer: flags.kubeApiserver }),
    },
    ...(ciliumEnforcement === undefined ? {} : { ciliumEnforcement }),
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
