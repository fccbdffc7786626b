import { describe, expect, test } from "vitest";
import { formatMatch } from "./requirement.js";
import { parseSelector } from "./selector-text.js";

describe("a selector as kubectl takes it", () => {
  test.each([
    ["app=web", "app=web"],
    ["app==web", "app=web"],
    ["app=", "app="],
    ["app!=web", "app!=web"],
    ["example.com/tier", "example.com/tier"],
    ["!legacy", "!legacy"],
    ["env in (dev, test)", "env in (dev, test)"],
    ["env notin (prod,stage)", "env not in (prod, stage)"],
    ["app=web,env in (dev,test),!legacy", "app=web, env in (dev, test), !legacy"],
    [" app = web , tier != db ", "app=web, tier!=db"],
  ])("%s", (text, meaning) => {
    expect(formatMatch(parseSelector(text)!)).toBe(meaning);
  });

  test.each(["", "app=web,", "app=a b", "=web", "env in dev", "env in (a", "app=web;x", "a>1", "in (a)"])(
    "not: %s",
    (text) => {
      expect(parseSelector(text)).toBeUndefined();
    },
  );
});
