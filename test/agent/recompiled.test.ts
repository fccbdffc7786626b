import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NodeCompiler } from "../../packages/agent/src/compile/node-compiler.js";
import type { NodeProgram } from "../../packages/agent/src/ruleset/program.js";
import { rulesetText } from "../../packages/agent/src/ruleset/text.js";
import { anyHistory, type Moment } from "../../packages/core/src/testing/history.js";
import { compiled, enforced, optionsFor } from "./agreement.js";

/** The same moments, come to in other ways. */
const tellings: Record<string, (moments: readonly Moment[]) => readonly Moment[]> = {
  "as it was": (moments) => moments,
  reversed: (moments) => moments.toReversed(),
  squashed: (moments) => [moments[0]!, moments.at(-1)!],
  "there and back": (moments) => [...moments, ...moments.toReversed(), ...moments],
};

const nodes = ["node-1", "node-2", "elsewhere"];

describe("a compiler that has seen other states", () => {
  for (const [name, retell] of Object.entries(tellings))
    it(`makes what one without a past makes, the history being ${name}`, () => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          for (const node of nodes) {
            const compiler = new NodeCompiler(optionsFor(node), enforced);
            for (const moment of retell(history)) {
              const found = compiler.compile(moment.cluster, moment.tiers);
              expect(contentOf(found)).toEqual(contentOf(compiled(moment, node)));
            }
          }
        }),
        { numRuns: 20 },
      );
    });

  it("gives out the same objects for what did not change", () => {
    fc.assert(
      fc.property(anyHistory, ([moment]) => {
        for (const node of nodes) {
          const compiler = new NodeCompiler(optionsFor(node), enforced);
          const { cluster, tiers } = moment!;
          const before = compiler.compile(cluster, tiers).ruleset;
          const again = compiler.compile({ ...cluster, pods: new Map(cluster.pods) }, { ...tiers }).ruleset;
          for (const [name, chain] of again.chains) expect(chain).toBe(before.chains.get(name));
          for (const [name, set] of again.sets) expect(set).toBe(before.sets.get(name));
        }
      }),
      { numRuns: 20 },
    );
  });
});

const contentOf = ({ ruleset, book, names }: NodeProgram) => ({
  text: rulesetText(ruleset, "tierwall"),
  book: [...book.values()].map(({ id, tier, verdict }) => `${id} ${tier} ${verdict}`).toSorted(),
  names,
});
