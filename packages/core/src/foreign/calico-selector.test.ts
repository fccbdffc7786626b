import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selects } from "../labels/requirement.js";
import { parseCalicoSelector } from "./calico-selector.js";

const maySelect = (text: string, labels: Readonly<Record<string, string>>): boolean | undefined =>
  parseCalicoSelector(text)?.some((requirements) => selects(requirements, labels));

describe("S9.4: Calico's selectors", () => {
  it.each([
    ["", {}, true],
    ["all()", {}, true],
    ["!all()", { app: "web" }, false],
    ["app == 'web'", { app: "web" }, true],
    ['app == "web"', { app: "db" }, false],
    ["app == 'web'", {}, false],
    ["app != 'web'", {}, true],
    ["app != 'web'", { app: "web" }, false],
    ["has(app)", { app: "" }, true],
    ["!has(app)", { app: "" }, false],
    ["app in {'web', 'db'}", { app: "db" }, true],
    ["app in {'web','db'}", { app: "x" }, false],
    ["app not in {'web'}", {}, true],
    ["app not in { 'web' }", { app: "web" }, false],
    ["app in {}", { app: "web" }, false],
    ["app == 'web' && team == 'a'", { app: "web", team: "a" }, true],
    ["app == 'web' && team == 'a'", { app: "web", team: "b" }, false],
    ["app == 'web' || team == 'a'", { team: "a" }, true],
    ["!(app == 'web' || team == 'a')", { app: "web" }, false],
    ["!(app == 'web' && team == 'a')", { app: "web", team: "b" }, true],
    ["app == 'a' || app == 'b' && team == 'x'", { app: "a" }, true],
    ["(app == 'a' || app == 'b') && team == 'x'", { app: "a" }, false],
    ["!!has(app)", { app: "x" }, true],
    ["a.b/c-d_e == 'x'", { "a.b/c-d_e": "x" }, true],
    // May hold, as labels alone do not decide this; without the label it does not.
    ["app starts with 'w'", { app: "db" }, true],
    ["app ends with 'w'", {}, false],
    ["app contains 'w'", {}, false],
    ["!(app contains 'w')", {}, true],
    ["global()", {}, true],
    ["!global()", {}, true],
  ])("%s of %j: %s", (text, labels, expected) => {
    expect(maySelect(text, labels)).toBe(expected);
  });

  it.each([
    "app = 'web'",
    "app === 'web'",
    "app == web",
    "app == 'web",
    "app",
    "app in ('a')",
    "app in {'a' 'b'}",
    "(app == 'a'",
    "app == 'a')",
    "app == 'a' &&",
    "&& app == 'a'",
    "not app",
    "app not 'a'",
    "has()",
    "nothing()",
    "app == 'a'; drop",
  ])("%s is not understood", (text) => {
    expect(parseCalicoSelector(text)).toBeUndefined();
  });

  it.each([
    ["deep", `${"(".repeat(10_000)}all()${")".repeat(10_000)}`],
    ["long", Array.from({ length: 10_000 }, () => "has(a)").join(" && ")],
  ])("a text that is too %s is rejected safely", (_, text) => {
    expect(parseCalicoSelector(text)).toBeUndefined();
  });

  it("of many alternatives some requirements are left out, and none is added", () => {
    const text = Array.from({ length: 40 }, (_, i) => `(a${i} == 'x' || b${i} == 'x')`).join(" && ");
    expect(parseCalicoSelector(text)!.length).toBeLessThan(100);
    for (const letter of ["a", "b"]) {
      const labels = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${letter}${i}`, "x"]));
      expect(maySelect(text, labels)).toBe(true);
    }
  });

  it("any text is accepted or rejected without an exception", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."!()&|={}',a ".split("")) }), (text) => {
        parseCalicoSelector(text);
      }),
    );
  });
});
