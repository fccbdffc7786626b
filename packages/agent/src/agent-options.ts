import type { Address, Cidr } from "@tierwall/core";
import type { NodeOptions } from "./ruleset/program.js";

/** Everything that `tierwall agent` can be told. Times are in milliseconds. */
export interface AgentOptions {
  readonly source: SourceOptions;
  readonly node: NodeOptions;
  /** The name of the table; its other half, during a swap, has `-b` behind it. */
  readonly table: string;
  /** `127.0.0.1:9465`; absent: nothing is served. */
  readonly metricsAddress?: string;
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

export type SourceOptions =
  | {
      readonly kind: "files";
      readonly paths: readonly string[];
      readonly recursive: boolean;
      readonly facts: SourceFacts;
    }
  | {
      readonly kind: "cluster";
      readonly kubeconfig?: string;
      readonly context?: string;
      readonly facts: SourceFacts;
    };

/** What no object tells. */
export interface SourceFacts {
  readonly apiServer?: readonly Address[];
  readonly podCidrs: readonly Cidr[];
  readonly ciliumEnforcement?: "default" | "always" | "never";
}

export const defaults = {
  table: "tierwall",
  connectionMask: 0xffff0000,
  metricsAddress: "127.0.0.1:9465",
  control: "/run/tierwall/agent.sock",
  stateFolder: "/var/lib/tierwall",
  /** Of the audit log: lines a second, for each rule. */
  logRate: 10,
  logGroup: 465,
} as const;
