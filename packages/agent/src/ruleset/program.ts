import type { Cidr, Isolation, PolicyRef, Rule } from "@tierwall/core/model";
import type { Ruleset } from "./ruleset.js";

/** What a node enforces: its table without the frame, which depends on the generation (frame.ts). */
export interface NodeProgram {
  readonly ruleset: Ruleset;
  /** By id: the rule or isolation of each counter `r_<id>` and each log line `tw:<id>`. */
  readonly book: ReadonlyMap<string, BookEntry>;
  /** The names of the maps from ranges of addresses to identities. */
  readonly ranges: { readonly 4: string; readonly 6: string };
  /** The same for packets to this node itself, which is the node at any address (S1.16). */
  readonly local: { readonly 4: string; readonly 6: string };
  /** S1.17: addresses that several pods of the cluster report, and which pods (`namespace/name`). */
  readonly sharedAddresses: ReadonlyMap<string, readonly string[]>;
  /** The sets that DNS answers fill; empty if no rule for pods of this node has domain names. */
  readonly names: readonly NameSet[];
}

/** A rule or an isolation that applies to a pod of this node. */
export interface BookEntry {
  readonly id: string;
  readonly direction: "ingress" | "egress";
  readonly tier: string;
  readonly verdict: "Allow" | "Deny" | "Pass";
  /** Counted and logged as if it were enforced, and never enforced. */
  readonly shadow: boolean;
  readonly by:
    | { readonly kind: "rule"; readonly rule: Rule }
    | { readonly kind: "isolation"; readonly isolation: readonly Isolation[] };
}

/** Addresses that names resolved to, per querying pod: elements are `pod address . resolved address`. */
export interface NameSet {
  readonly patterns: readonly { readonly kind: "exact" | "subdomains" | "pattern"; readonly text: string }[];
  /** Elements live as long as the TTL of the answer. */
  readonly fresh: { readonly 4: string; readonly 6: string };
  /** Elements outlive it, for connections that are already established (S8.4). */
  readonly kept: { readonly 4: string; readonly 6: string };
  /** Addresses of the local pods to which a rule with these names applies. */
  readonly pods: readonly string[];
}

export interface NodeOptions {
  readonly node: string;
  /** The bits of the connection mark that Tierwall uses; contiguous, at least eight. */
  readonly connectionMask: number;
  readonly deny: "drop" | "reject";
  readonly unknownPods: "deny" | "allow";
  /** They are allowed after no agent has run for this many milliseconds (set-change.ts). Absent: never. */
  readonly unknownPodsPassAfter?: number;
  /** The ranges of this node's pods. An address in them that is not a known pod is an unknown pod. */
  readonly localRanges: readonly Cidr[];
  /** Known pods contradict these ranges, so they are not used to detect unknown pods (loop/range-trust.ts). */
  readonly rangesDoubted?: true;
  /** `pass`: the kernel cannot detect spoofed addresses (node-network/return-paths.ts). Absent: denied like unknown pods. */
  readonly forgedSources?: "pass";
  /** Shadow mode: nothing is dropped on this node. */
  readonly shadow: boolean;
  /** Absent: nothing is logged. */
  readonly log?: { readonly group: number; readonly perSecond: number; readonly burst: number };
}

/** `tierwall.dev/audit` and `tierwall.dev/enforcement` on a policy. */
export interface PolicyModes {
  readonly audit: "all" | "denied" | "none";
  readonly shadow: boolean;
}

export type ModesOf = (policy: PolicyRef) => PolicyModes;
