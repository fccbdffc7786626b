import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut } from "../testing/cut.js";
import { ByteWindow } from "./byte-window.js";
import { Broken, JsonScanner, Unfinished } from "./json-scanner.js";

const scannerOf = (text: string) => new JsonScanner(new ByteWindow(cut(text, 1_000_000)));

/** What the scanner says about a text: where its first value ends, or why it does not. */
function walk(text: string): number | "broken" | "unfinished" {
  const scanner = scannerOf(text);
  try {
    return scanner.value(scanner.space(0));
  } catch (cause) {
    if (cause instanceof Broken) return "broken";
    if (cause instanceof Unfinished) return "unfinished";
    throw cause;
  }
}

/** Whether a text is one value and nothing else. */
function isJson(text: string): boolean {
  const scanner = scannerOf(`${text}\n`);
  try {
    return scanner.space(scanner.value(scanner.space(0))) === scanner.length;
  } catch (cause) {
    if (cause instanceof Broken || cause instanceof Unfinished) return false;
    throw cause;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a value", () => {
  it.each([
    ['{"a": [1, {"b": null}], "c": "}]"} x', 34],
    ['"\\"" ', 4],
    ["[] ", 2],
    ["{ } ", 3],
    ["[[],{}] ", 7],
    ["-0.5e+10,", 8],
    ["true]", 4],
    ['"ä€😀" ', 11],
  ])("%s ends at %d", (text, end) => expect(walk(text)).toBe(end));

  it.each([
    '{"a',
    '{"a"',
    '{"a":',
    '{"a": 1',
    '{"a": 1,',
    "[",
    "[1",
    "[1,",
    '"',
    '"\\',
    '"\\u00',
    "tr",
    "-",
    "1",
    "1.",
    "1e",
    "1e-",
    "",
  ])("%s may go on", (text) => expect(walk(text)).toBe("unfinished"));

  it.each([
    "{a",
    "{,",
    '{"a" 1',
    '{"a": 1 "b"',
    '{"a": 1,}',
    '{"a": 1]',
    "[1,]",
    "[1}",
    "[,",
    "]",
    '"\n',
    '"\u0000"',
    '"\\x"',
    '"\\u00g0"',
    "trUe",
    "nul ",
    "+1",
    "- 1",
    "1.x",
    ".5",
    "1e ",
    "\u00a0",
    "'a'",
    "NaN",
  ])("%j is broken", (text) => expect(walk(text)).toBe("broken"));

  it("a leading zero ends a number", () => expect(walk("01 ")).toBe(1));

  it("however deep it is nested", () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${"}]".repeat(100_000)}`;
    expect(walk(`${deep} `)).toBe(deep.length);
    expect(walk(`${deep.replace("1}", "1]")} `)).toBe("broken");
  });

  it("however long a text in it is", () => {
    const long = `["${'\\"'.repeat(100_000)}"]`;
    expect(walk(`${long} `)).toBe(long.length);
  });
});

describe("laws", () => {
  const anyWritten = fc
    .tuple(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), fc.constantFrom(0, 1, 4, "\t"))
    .map(([value, indent]) => JSON.stringify(value, null, indent));
  const bits = Array.from('{}[]",:\\ \n01-.eEtrufalsn\u0000\u001f\u007f\u00a0ä😀');
  const anyEdit = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom("", ...bits));
  /** With a few characters too many, or too few. */
  const anyBroken = fc.tuple(anyWritten, fc.array(anyEdit, { maxLength: 3 })).map(([text, edits]) => {
    const characters = Array.from(text);
    for (const [where, removed, added] of edits)
      characters.splice(where % (characters.length + 1), removed, added);
    return characters.join("");
  });

  it("it is JSON where JSON.parse says so", () => {
    fc.assert(
      fc.property(anyBroken, (text) => {
        expect(isJson(text)).toBe(isParsed(text));
      }),
      { numRuns: 3000 },
    );
  });

  it("what is cut off is never broken", () => {
    fc.assert(
      fc.property(anyWritten, fc.nat(), (text, where) => {
        const characters = Array.from(text);
        const cutOff = characters.slice(0, where % characters.length).join("");
        expect(walk(cutOff)).not.toBe("broken");
      }),
    );
  });

  it("it knows the line and column it has come to", () => {
    fc.assert(
      fc.property(anyWritten, (text) => {
        const scanner = scannerOf(`${text} `);
        const end = scanner.value(0);
        const lines = text.split("\n");
        expect(scanner.position(end)).toEqual({ line: lines.length, column: lines.at(-1)!.length + 1 });
      }),
    );
  });
});
