import type { Cidr, Isolation, PolicyRef, Rule } from "@tierwall/core/model";
import type { Ruleset } from "./ruleset.js";

/** What a node is to enforce: everything of its table but the generation of connections (frame.ts adds that). */
export interface NodeProgram {
  readonly ruleset: Ruleset;
  /** By id: who stands behind each counter `r_<id>` and each log line `tw:<id>`. */
  readonly book: ReadonlyMap<string, BookEntry>;
  /** The names of the maps that tell who is behind a range of addresses. */
  readonly ranges: { readonly 4: string; readonly 6: string };
  /** The same for packets to this node itself: at whichever address, it is the node (S1.16). */
  readonly local: { readonly 4: string; readonly 6: string };
  /** S1.17: addresses that several pods of the cluster report, and which pods (`namespace/name`). */
  readonly sharedAddresses: ReadonlyMap<string, readonly string[]>;
  /** The sets that DNS answers go into; empty where no rule of this node's pods names a domain. */
  readonly names: readonly NameSet[];
}

/** A rule, or an isolation, that can decide about a pod of this node. */
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

/** Addresses that names resolved to, per pod that asked: elements are `pod address . resolved address`. */
export interface NameSet {
  readonly patterns: readonly { readonly kind: "exact" | "subdomains" | "pattern"; readonly text: string }[];
  /** Elements live as long as the TTL of the answer. */
  readonly fresh: { readonly 4: string; readonly 6: string };
  /** Elements outlive it, for connections that are already established (S8.4). */
  readonly kept: { readonly 4: string; readonly 6: string };
  /** Addresses of the local pods that some rule with these names is about. */
  readonly pods: readonly string[];
}

export interface NodeOptions {
  readonly node: string;
  /** The bits of the connection mark that are ours; contiguous, at least eight. */
  readonly connectionMask: number;
  readonly deny: "drop" | "reject";
  readonly unknownPods: "deny" | "allow";
  /** When the agent has been gone for so many milliseconds, they pass (presence.ts). Absent: never. */
  readonly unknownPodsPassAfter?: number;
  /** Where pods of this node get their addresses from; what is in there and not a known pod is an unknown one. */
  readonly localRanges: readonly Cidr[];
  /** What is known of pods contradicts these ranges: nothing is concluded from an address being in them (loop/range-trust.ts). */
  readonly rangesDoubted?: true;
  /** `pass`: the kernel cannot tell them from others (node-network/return-paths.ts). Absent: held back as unknown pods are. */
  readonly forgedSources?: "pass";
  /** Nothing is dropped on this node, whatever policies say. */
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
