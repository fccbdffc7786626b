import type { TierName } from "@tierwall/core/model";

/** The title of a tier, and which policies are in it. */
export interface TierWords {
  readonly title: string;
  readonly who: string;
}

/** In evaluation order. */
export const tierWords: Readonly<Record<TierName, TierWords>> = {
  foreign: { title: "Foreign", who: "policies of other APIs, which are not evaluated here" },
  guardrail: { title: "Guardrail", who: "first-draft cluster policies that empower or deny" },
  "guardrail-allow": { title: "Guardrail allow", who: "first-draft cluster policies that allow" },
  admin: { title: "Admin", who: "cluster policies that developers cannot override" },
  "network-policy": { title: "NetworkPolicy", who: "the developers' policies, namespace by namespace" },
  baseline: { title: "Baseline", who: "cluster policies that developers can override" },
  "cluster-default": { title: "Cluster default", who: "first-draft defaults for the whole cluster" },
};

export const defaultTier: TierWords = {
  title: "Default",
  who: "connections that no policy decides are allowed",
};
