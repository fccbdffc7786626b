import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoted } from "../policy/describe.js";
import { wrap } from "./style.js";

describe("wrapping", () => {
  it.each([
    ["what fits stays on its line", "  ", "one two", "    ", "  one two"],
    [
      "what does not is broken at a space, and indented",
      "> ",
      "aaaa bbbb cccc",
      "  ",
      "> aaaa\n  bbbb\n  cccc",
    ],
    ["a word that is too long is on its own line", "", "a bbbbbbbbbbbbbbb c", "", "a\nbbbbbbbbbbbbbbb\nc"],
    ["a line may be exactly as long", "", "aaaa bbbbb", "", "aaaa bbbbb"],
    ["one more is too much", "", "aaaa bbbbbb", "", "aaaa\nbbbbbb"],
    ["two spaces where a line is broken are no indentation", "", "aaaa bbbbb  cc", "  ", "aaaa bbbbb\n  cc"],
    ["nothing is a line", "> ", "", "  ", "> "],
    ["no word makes a line look like a verdict", "", "aaaa bbbbb ✓ ALLOWED", "", "aaaa bbbbb ✓\nALLOWED"],
    ["or like a command", "", "aaaa bbbbb ::error::x", "", "aaaa bbbbb ::error::x"],
    ["what is in quotes is one word", "", 'a "b c d e f" g', "", 'a\n"b c d e f"\ng'],
  ])("%s", (_what, lead, text, indent, expected) => expect(wrap(lead, text, indent, 10)).toBe(expected));

  it("colours take no room", () => {
    const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
    expect(wrap("", `${red("aaaa")} ${red("bbbbb")}`, "", 10)).toBe(`${red("aaaa")} ${red("bbbbb")}`);
  });

  it("a quoted name stays on one line, whatever it ends with", () => {
    const name = fc.string({ unit: fc.constantFrom("a", " ", '"', "\\"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(name, (text) => {
        const lines = wrap("", `one ${quoted(text)} two`, "", 4).split("\n");
        expect(lines).toEqual(["one", quoted(text), "two"]);
      }),
    );
  });

  it("no word is lost, and no line is too long that could be shorter", () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 14 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 20 }), (list, columns) => {
        const lines = wrap("- ", list.join(" "), "  ", columns).split("\n");
        expect(lines.map((line) => line.slice(2)).join(" ")).toBe(list.join(" "));
        for (const line of lines) if (line.length > columns) expect(line.slice(2)).not.toContain(" ");
      }),
    );
  });
});
