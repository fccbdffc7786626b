import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstMistake } from "./json-splitter.js";

describe("the first mistake in a JSON text", () => {
  it.each([
    ['{"a": tru}', 6, "a value"],
    ['{"a": 01}', 6, "a value"],
    ['{"a": +1}', 6, "a value"],
    ["{a: 1}", 1, "a field in double quotes"],
    ["{'a': 1}", 1, "a field in double quotes"],
    ['{"a" 1}', 5, "`:`"],
    ['{"a": 1 "b": 2}', 8, "`,` or `}`"],
    ["[1 2]", 3, "`,` or `]`"],
    ["[1, ]", 4, "a value"],
    ['{"a": 1, }', 9, "a field in double quotes"],
    ['{"a": [1, {"b": "\\x"}]}', 16, "a value"],
    ['["a\nb"]', 1, "a value"],
    ["[1}", 2, "`,` or `]`"],
    ["{} x", 3, "the end"],
    ["", 0, "a value"],
    ["[[], {}, 1", 10, "`,` or `]`"],
  ])("%s", (text, at, expected) => expect(firstMistake(text)).toEqual({ at, expected }));

  it("is at the end of what is right", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(firstMistake(text)).toEqual({ at: text.length, expected: "the end" });
      }),
    );
  });

  it("the text before it is valid, and the character there is not", () => {
    const anyBroken = fc
      .tuple(fc.jsonValue(), fc.nat(), fc.constantFrom("}", "]", ",", ":", '"', "x", "0", "-"))
      .map(([value, at, typo]) => {
        const text = JSON.stringify(value);
        return `${text.slice(0, at % text.length)}${typo}${text.slice(at % text.length)}`;
      });
    fc.assert(
      fc.property(anyBroken, (text) => {
        const { at, expected } = firstMistake(text);
        const isRight = expected === "the end" && at === text.length;
        expect(isJson(text)).toBe(isRight);
      }),
      { numRuns: 2000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
