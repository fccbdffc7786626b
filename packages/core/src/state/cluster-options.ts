import type { EnforcerName } from "./enforcers/differences.js";

/** The options that are texts here, and parsed where they are used. */
export type WrittenFact = "podCidrs" | "serviceCidrs" | "apiServer" | "dns";

/** Facts about the cluster that manifests do not contain, and how they are read. Strings, so that it can be sent as JSON. */
export interface ClusterOptions {
  /** The ranges that pods get their addresses from. */
  readonly podCidrs?: readonly string[];
  /** The ranges of Service addresses. */
  readonly serviceCidrs?: readonly string[];
  /** Addresses of the API server. */
  readonly apiServer?: readonly string[];
  /** What domain names resolve to. */
  readonly dns?: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  /** Whether an unknown field is a mistake (`file`) or part of a newer API (`cluster`); `auto` looks for a uid. */
  readonly provenance?: "auto" | "file" | "cluster";
  /** The mode in which Cilium enforces policies. */
  readonly ciliumEnforcement?: "default" | "always" | "never";
  /** Answer as this implementation would, where it differs from docs/semantics.md. */
  readonly enforcer?: EnforcerName;
  /** API groups that are recognised and not evaluated, and whose objects are left out. */
  readonly ignoreApis?: readonly string[];
  /** The name that Cilium knows this cluster by. */
  readonly ciliumClusterName?: string;
  /** Labels that count for Cilium or, with `!`, do not, as in its option `labels`. */
  readonly ciliumLabels?: readonly string[];
  /** Leave out objects with errors instead of evaluating nothing. */
  readonly keepGoing?: boolean;
}
