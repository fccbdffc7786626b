import type { Address } from "@tierwall/core/model";
import type { LiveOptions } from "@tierwall/core/state";
import type { MetricsCommand } from "@tierwall/kube";
import type { NodeOptions } from "./ruleset/program.js";

/** The options of `tierwall agent`. Times are in milliseconds. */
export interface AgentOptions {
  readonly source: SourceOptions;
  readonly node: NodeOptions;
  /** The name of the table. During a swap, the second table has this name with the suffix `-b`. */
  readonly table: string;
  /** Absent: nothing is served. */
  readonly metrics?: MetricsCommand;
  /** A file, or `-` for stdout. Absent: packets are not logged. */
  readonly auditLog?: string;
  /** The unix socket that `tierwall agent status` connects to. */
  readonly control: string;
  /** For data that survives a restart: sums of counters, and when rules were hit. */
  readonly stateFolder: string;
  /** Empty: the Service kube-system/kube-dns and its endpoints. */
  readonly dnsServers: readonly Address[];
  /** How often the whole table is compared with the wanted rules. */
  readonly resync: number;
}

export type SourceOptions = {
  /** Facts about the cluster that no object contains. */
  readonly state: LiveOptions;
} & (
  | { readonly kind: "files"; readonly paths: readonly string[]; readonly recursive: boolean }
  | {
      readonly kind: "cluster";
      readonly kubeconfig?: string;
      readonly context?: string;
      /** The namespace of the Lease that reports what this node enforces. */
      readonly namespace: string;
    }
);
