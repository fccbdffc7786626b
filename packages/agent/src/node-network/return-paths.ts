import { baseChain } from "../ruleset/hooks.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { rulesetText } from "../ruleset/text.js";
import { forgedChain, forgedRules } from "../ruleset/unknown-pods.js";
import { unknownCounter } from "../ruleset/vocabulary.js";
import type { Nft } from "../kernel/nft.js";

/** Older kernels accept such rules in a dry run without checking their hook, and none of them supports these rules there. */
const firstToCheck = [5, 11] as const;

/**
 * Whether rules for forwarded packets, and for packets to the node, can check through which device an address is reached: since
 * Linux 5.19. `release`: `6.1.0-18-amd64`.
 */
export async function supportsReturnPaths(nft: Nft, release: string): Promise<boolean> {
  const [major = 0, minor = 0] = release.split(".").map(Number.parseFloat);
  const [firstMajor, firstMinor] = firstToCheck;
  if (major < firstMajor || (major === firstMajor && minor < firstMinor)) return false;
  return nft.accepts(rulesetText(probe, "tierwall-probe"));
}

const probe: Ruleset = {
  chains: new Map([
    baseChain("forward", "first", [`goto ${forgedChain}`]),
    baseChain("input", "first", [`goto ${forgedChain}`]),
    [forgedChain, { rules: forgedRules }],
    [unknownCounter.egress, { rules: ["drop"] }],
  ]),
  sets: new Map(),
  counters: new Set(),
};
