import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frame } from "../../packages/agent/src/ruleset/frame.js";
import { rulesetText } from "../../packages/agent/src/ruleset/text.js";
import { parseCidr } from "../../packages/core/src/net/cidr.js";
import { anyScenario, stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { compiled, nodesOf, optionsFor } from "./agreement.js";
import { blocksOf, inNamespace, whyNoNft } from "./nft.js";

const reason = whyNoNft();

describe.skipIf(reason !== undefined)(
  `the kernel's nftables${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  () => {
    it("take the tables of random clusters, and list them in the words they were given in", () => {
      inNamespace(`twc-kernel-${process.pid}`, (nft) => {
        fc.assert(
          fc.property(anyScenario({ minLength: 1, maxLength: 8 }), fc.boolean(), (scenario, reject) => {
            const state = stateIn(scenario);
            for (const node of nodesOf(state)) {
              const options = {
                ...optionsFor(node),
                deny: reject ? "reject" : "drop",
                localRanges: [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!],
              } as const;
              const text = rulesetText(frame(compiled(state, node), options, 9), "tierwall");
              nft(["-f", "-"], text);
              const listed = nft(["-s", "-nn", "list", "table", "inet", "tierwall"]);
              nft(["delete", "table", "inet", "tierwall"]);
              expect(blocksOf(listed)).toEqual(blocksOf(text));
            }
          }),
          { numRuns: 25 },
        );
      });
    });
  },
);
