import { describe, expect, it } from "vitest";
import { clusterPolicy } from "../../../testing/manifests.js";
import { compareEverywhere, type Equality } from "../../prove/same/index.js";
import { readState } from "../../state/state.js";
import { equalityGithub, equalityJunit, equalitySarif } from "./equality-ci.js";

const names = { before: "old", after: "new", caveats: [] };
const stateOf = (file: string, text: string) => readState([{ file, text }]);
const closed = clusterPolicy("closed", { ingress: "[{action: Deny, from: [{namespaces: {}}]}]" });
const notDecided: Equality = { result: "NotDecided", why: "the budget is exhausted" };

const resultsOf = (equality: Equality) =>
  (equalitySarif(equality, names, "1.2.3") as { runs: [{ results: readonly object[] }] }).runs[0].results;

describe("a comparison for CI systems", () => {
  it("is a result at the rule of the first side, where the second one has none", () => {
    const different = compareEverywhere(stateOf("old/a.yaml", closed), stateOf("new/a.yaml", ""));
    expect(resultsOf(different)).toMatchObject([
      { ruleId: "Different", locations: [{ physicalLocation: { artifactLocation: { uri: "old/a.yaml" } } }] },
    ]);
    expect(equalityGithub(different, names)).toMatch(/^::error file=old\/a\.yaml,line=\d+/);
  });

  it("is a result of the second side as a whole, where it was not decided", () => {
    expect(resultsOf(notDecided)).toMatchObject([
      {
        ruleId: "NotDecided",
        ruleIndex: 1,
        message: { text: "old and new: not decided: the budget is exhausted" },
        locations: [{ physicalLocation: { artifactLocation: { uri: "new" }, region: { startLine: 1 } } }],
      },
    ]);
    expect(equalityGithub(notDecided, names)).toMatch(/^::error title=old and new are not/);
    expect(equalityJunit(notDecided, names)).toContain('<failure type="NotDecided"');
  });

  it("is no result where both sides are the same", () => {
    expect(resultsOf({ result: "Same" })).toEqual([]);
    expect(equalityGithub({ result: "Same" }, names)).toBe("");
  });
});
