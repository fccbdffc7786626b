import fc from "fast-check";
import { expect, it } from "vitest";
import { globMatches } from "./glob.js";

it.each([
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["*", "abc", true],
  ["a*c", "abbc", true],
  ["a*c", "abbcd", false],
  ["*a*", "bab", true],
  ["a.c", "abc", false],
  ["**", "x", true],
])("%s of %s: %s", (pattern, text, expected) => expect(globMatches(pattern, text)).toBe(expected));

it("means what the regular expression means", () => {
  const word = (...letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
  fc.assert(
    fc.property(word("a", "b", "*"), word("a", "b"), (pattern, text) => {
      const form = new RegExp(`^${pattern.replace(/\*+/g, ".*")}$`);
      expect(globMatches(pattern, text)).toBe(form.test(text));
    }),
  );
});

it("answers at once, however many stars there are", () => {
  // As a regular expression this would take too long.
  expect(globMatches(`${"a*".repeat(120)}b`, "a".repeat(253))).toBe(false);
});
