import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bookOf } from "../../testing/book.js";
import { RuleVersions } from "./rule-versions.js";

const policy = (name: string) => `
kind: NetworkPolicy
metadata: {name: ${name}, namespace: shop}
spec: {podSelector: {}, ingress: [{}]}
`;
/** An id always identifies the same rule, so each book has ids of its own. */
const versionOf = (id: string) => {
  const [entry] = bookOf(policy(id)).values();
  return new Map([[id, { ...entry!, id }]]);
};
const [old, next] = [versionOf("old"), versionOf("next")];

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("a version is known from before it is in the kernel", () => {
  const rules = new RuleVersions();
  rules.programmed(old);
  rules.coming(next);
  expect([rules.get("old"), rules.get("next")]).toEqual([old.get("old"), next.get("next")]);
});

it("one that was given to the kernel in a turn that failed is known, whatever comes next", () => {
  const rules = new RuleVersions();
  rules.coming(old);
  rules.coming(next);
  rules.programmed(next);
  expect(rules.get("old")).toBe(old.get("old"));
});

it.each([
  ["three readings and eleven seconds", 3, 11_000, false],
  ["two readings, however long ago", 2, 60_000, true],
  ["many readings in a moment", 20, 1_000, true],
])("one that has left is known for a while: %s", (_what, readings, milliseconds, known) => {
  const rules = new RuleVersions();
  rules.programmed(old);
  rules.programmed(next);
  vi.advanceTimersByTime(milliseconds);
  for (let i = 0; i < readings; i++) rules.counted();
  expect(rules.get("old") !== undefined).toBe(known);
});

it("while counters cannot be read, a bounded number of versions that left is known: the latest", () => {
  const rules = new RuleVersions();
  const [entry] = old.values();
  for (let i = 0; i <= 10_001; i++) rules.programmed(new Map([[`${i}`, { ...entry!, id: `${i}` }]]));
  expect([rules.get("0"), rules.get("1")?.id, rules.get("10000")?.id]).toEqual([undefined, "1", "10000"]);
});
