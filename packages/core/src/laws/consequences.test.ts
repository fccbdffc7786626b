import fc from "fast-check";
import { expect, it } from "vitest";
import { sharesOf } from "../analysis/changes/part-shares.js";
import { PartiesInBoth } from "../analysis/changes/parties-in-both.js";
import { Totals } from "../analysis/changes/totals.js";
import { consequencesOf } from "../analysis/consequences/consequences.js";
import { ChangedParts } from "../engine/change/changed-parts.js";
import { compileBoth } from "../engine/change/compile-both.js";
import { compile } from "../engine/engine.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import { anyHistory, type ClusterMoment } from "../../testing/arbitrary/history.js";
import { about } from "../../testing/arbitrary/scenario.js";

type Counts = Readonly<Record<"denied" | "allowed" | "unsure", number>>;

/** As a diff of the states counts. */
function countedByDiff(before: ClusterMoment, after: ClusterMoment): Counts {
  const parts = new ChangedParts(...compileBoth(before, after));
  const parties = new PartiesInBoth(parts.difference.ends, "pod");
  const totals = {
    denied: new Totals(parties.list),
    allowed: new Totals(parties.list),
    unsure: new Totals(parties.list),
  };
  for (const part of parts)
    for (const [name, { was, is }] of ways)
      if (part.changes.some((change) => change.before === was && change.after === is))
        totals[name].add(is, part, sharesOf(part, parties));
  const count = (name: keyof Counts, is: Verdict) => totals[name].all()[is].connections;
  return {
    denied: count("denied", "Deny"),
    allowed: count("allowed", "Allow"),
    unsure: count("unsure", "Undecided"),
  };
}

const ways = [
  ["denied", { was: "Allow", is: "Deny" }],
  ["allowed", { was: "Deny", is: "Allow" }],
  ["unsure", { was: "Allow", is: "Undecided" }],
] as const satisfies readonly (readonly [keyof Counts, { was: Verdict; is: Verdict }])[];

it("an update of policies has the consequences that a diff of the states counts, and examples that hold", () => {
  fc.assert(
    fc.property(anyHistory, fc.boolean(), (history, isExpected) => {
      const before = history[0]!;
      const after: ClusterMoment = { cluster: before.cluster, tiers: history.at(-1)!.tiers };
      const engine = compile(before.cluster, before.tiers);
      if (isExpected) engine.expect(after.tiers);
      const found = consequencesOf(engine, engine.update({ tiers: after.tiers }).pairs);
      const counts = ways.map(([name]) => [name, found[name]?.connections ?? 0]);
      expect(Object.fromEntries(counts)).toEqual(countedByDiff(before, after));
      for (const [name, { was, is }] of ways) {
        const example = found[name]?.example;
        if (example === undefined) continue;
        const verdicts = [before, after].map(
          ({ cluster, tiers }) => evaluate(cluster, tiers, example).verdict,
        );
        expect([about(example), ...verdicts]).toEqual([about(example), was, is]);
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 20) },
  );
});
