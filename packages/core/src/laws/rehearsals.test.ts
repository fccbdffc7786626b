import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gatherChanges } from "../analysis/changes/compare.js";
import type { StateChanges } from "../analysis/changes/changes.js";
import { previewBetween } from "../analysis/preview/preview.js";
import { Rehearsal } from "../analysis/preview/rehearsal.js";
import { previewJson } from "../report/preview/preview-json.js";
import { ChangedParts } from "../engine/change/changed-parts.js";
import { compileBoth } from "../engine/change/compile-both.js";
import { anyHistory } from "../../testing/arbitrary/history.js";

describe("an edit that is rehearsed after others", () => {
  it("counts what a comparison from scratch counts", { timeout: 1_200_000 }, () => {
    fc.assert(
      fc.property(anyHistory, ([before, ...edits]) => {
        const rehearsal = new Rehearsal(before!);
        for (const { tiers } of edits) {
          const after = { cluster: before!.cluster, tiers };
          const outline = rehearsal.outline({ after });
          const { totals } = gatherChanges(new ChangedParts(...compileBoth(before!, after)), "workload");
          expect(countsOf(outline)).toEqual(countsOf(totals));
        }
      }),
      { numRuns: 12 },
    );
  });

  it("is reported as from scratch", { timeout: 1_200_000 }, () => {
    fc.assert(
      fc.property(anyHistory, ([before, ...edits]) => {
        const rehearsal = new Rehearsal(before!);
        for (const { tiers } of edits) {
          const after = { cluster: before!.cluster, tiers };
          const [rehearsed, fresh] = [
            rehearsal.preview({ after, edits: [] }),
            previewBetween(compileBoth(before!, after), []),
          ];
          expect(inAnyOrder(previewJson(rehearsed))).toEqual(inAnyOrder(previewJson(fresh)));
        }
      }),
      { numRuns: 15 },
    );
  });
});

const countsOf = (
  totals: Readonly<Record<"Allow" | "Deny" | "Undecided", Pick<StateChanges["totals"]["Deny"], "bySource">>>,
) =>
  (["Allow", "Deny", "Undecided"] as const).map((verdict) =>
    [...totals[verdict].bySource].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Examples may differ, and rows with the same number of connections may be in any order. */
function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(inAnyOrder(one))).toSorted();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "example")
      .map(([key, inner]) => [key, inAnyOrder(inner)]),
  );
}
