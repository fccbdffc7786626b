import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnostic } from "./diagnostic.js";
import { formatPath } from "./place.js";
import { shortened, visible, visibleLines } from "./visible.js";

describe("text made visible", () => {
  it.each([
    ["plain text", "a rule's name, 100 %", "a rule's name, 100 %"],
    ["letters of any script, and emoji", "règle 规则 ✓ 🔒", "règle 规则 ✓ 🔒"],
    ["line breaks", "a\nb\r\nc", "a\\nb\\r\\nc"],
    ["tabs", "a\tb", "a\\tb"],
    ["colours", "\u001b[32m✓ ALLOWED\u001b[0m", "\\u001b[32m✓ ALLOWED\\u001b[0m"],
    ["the eight-bit form of the same", "\u009b32m", "\\u009b32m"],
    ["a NUL", "a\0b", "a\\u0000b"],
    ["deleting the character before", "a\b\u007f", "a\\u0008\\u007f"],
    ["bidirectional overrides", "\u202edeny\u2066", "\\u202edeny\\u2066"],
    ["characters without width", "a\u200bb\ufeffc", "a\\u200bb\\ufeffc"],
    ["separators of lines and paragraphs", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["lone surrogates", "a\ud800b", "a\\ud800b"],
    ["tags outside of the first plane", "a\u{e0041}", "a\\udb40\\udc41"],
    ["letters without a shape", "a\u3164", "a\\u3164"],
    ["commands of CI systems", "a ##[error]b", "a #\\u0023[error]b"],
    ["the same after more of their sign", "###[group]", "##\\u0023[group]"],
    ["commands of Azure Pipelines", "##vso[x]##VSO[y]", "#\\u0023vso[x]#\\u0023VSO[y]"],
    ["a heading", "## [a]", "## [a]"],
  ])("%s", (_what, text, expected) => expect(visible(text)).toBe(expected));

  it("keeps line breaks and tabs of Tierwall's own text", () =>
    expect(visibleLines("a\n\tb\r\u001b")).toBe("a\n\tb\\r\\u001b"));

  const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = visible(text);
        expect(visible(once)).toBe(once);
        expect(unseen.test(once)).toBe(false);
      }),
    );
  });

  it("keeps JSON intact", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(visible(JSON.stringify(text)))).toBe(text);
      }),
    );
  });

  it("may be shortened", () => expect(shortened("abcdef", 4)).toBe("abc…"));
});

describe("what is quoted from the input", () => {
  const hostile = "x`\n\u001b[32m✓ ALLOWED";
  it("is one line in a diagnostic", () => {
    const found = diagnostic("TW1001", hostile, { object: hostile, hint: hostile });
    expect([found.message, found.object, found.hint]).toEqual([
      visible(hostile),
      visible(hostile),
      visible(hostile),
    ]);
  });

  it("does not make a message longer than can be read", () =>
    expect(diagnostic("TW1001", "x".repeat(1_000_000)).message.length).toBe(4000));

  it("is one line in a path", () => expect(formatPath(["labels", "\u202e\n"])).toBe('labels["\\u202e\\n"]'));
});
