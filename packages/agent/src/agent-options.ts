import type { Address } from "@tierwall/core/model";
import type { LiveOptions } from "@tierwall/core/state";
import type { MetricsCommand } from "@tierwall/kube";
import type { NodeOptions } from "./ruleset/program.js";

/** Everything that `tierwall agent` can be told. Times are in milliseconds. */
export interface AgentOptions {
  readonly source: SourceOptions;
  readonly node: NodeOptions;
  /** The name of the table; its other half, during a swap, has `-b` behind it. */
  readonly table: string;
  /** Absent: nothing is served. */
  readonly metrics?: MetricsCommand;
  /** A file, or `-` for stdout; absent: nothing is logged of packets. */
  readonly auditLog?: string;
  /** The unix socket that `tierwall agent status` asks. */
  readonly control: string;
  /** For what must survive a restart: sums of counters, and when rules were hit. */
  readonly stateFolder: string;
  /** Empty: the Service kube-system/kube-dns and its endpoints. */
  readonly dnsServers: readonly Address[];
  /** How often the whole table is compared with what it should be. */
  readonly resync: number;
}

export type SourceOptions = {
  /** What no object tells. */
  readonly state: LiveOptions;
} & (
  | { readonly kind: "files"; readonly paths: readonly string[]; readonly recursive: boolean }
  | {
      readonly kind: "cluster";
      readonly kubeconfig?: string;
      readonly context?: string;
      /** Where the Lease is that tells what this node enforces. */
      readonly namespace: string;
    }
);
