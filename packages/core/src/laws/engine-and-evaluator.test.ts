import { describe, expect, it } from "vitest";
import { formatCase } from "../../testing/kept-case.js";
import { search } from "../../testing/search.js";

describe("the engine and the evaluator agree, on connections one by one and on all pairs", () => {
  it.each([
    { of: "small", runs: 120, share: 0.1 },
    { of: "crowded", runs: 30, share: 0.05 },
    { of: "foreign", runs: 60, share: 0.1 },
    { of: "cilium", runs: 60, share: 0.1 },
  ] as const)("$of", (kind) => {
    const { counterexample } = search(kind);
    expect(counterexample && formatCase(counterexample)).toBeUndefined();
  });
});
