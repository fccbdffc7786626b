import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut } from "../../../testing/transform/cut.js";
import type { Json } from "../document.js";
import { TextWindow } from "../text-window.js";
import { decodedChunks } from "../utf8.js";
import { JsonSplitter, NotJson } from "./json-splitter.js";

const splitterOf = (text: string, size = 1_000_000) =>
  new JsonSplitter(new TextWindow(decodedChunks(cut(text, size))), "test.json");

/** The values of a text; undefined where it is not JSON. */
function valuesIn(text: string, size?: number): readonly Json[] | undefined {
  const splitter = splitterOf(text, size);
  const values: Json[] = [];
  try {
    while (splitter.skipSpace() !== undefined) values.push(splitter.next().value);
    return values;
  } catch (cause) {
    if (cause instanceof NotJson) return undefined;
    throw cause;
  }
}

describe("values that follow each other", () => {
  it.each<[string, readonly Json[]]>([
    ['{"a": [1, {"b": null}], "c": "}]"} 1', [{ a: [1, { b: null }], c: "}]" }, 1]],
    ['"\\""[]{ }[[],{}]', ['"', [], {}, [[], {}]]],
    ["-0.5e+10 true\nnull", [-0.5e10, true, null]],
    ['"\\\\""ä€😀" ', ["\\", "ä€😀"]],
    ['{"delete": "\u007f", "next line": "\u0085"}', [{ delete: "\u007f", "next line": "\u0085" }]],
  ])("%s", (text, values) => {
    for (const size of [1, 5, 1000]) expect(valuesIn(text, size)).toEqual(values);
  });

  it("however deeply they are nested", () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${"}]".repeat(100_000)}`;
    expect(valuesIn(deep, 100_000)).toHaveLength(1);
    expect(valuesIn(deep.replace("1}", "1]"), 100_000)).toBeUndefined();
  });

  it("however long a string in them is", () => {
    const long = `["${'\\"'.repeat(1_000_000)}", "${"a".repeat(10_000_000)}"]`;
    expect(valuesIn(long, 100_000)).toHaveLength(1);
  });
});

describe("a mistake is reported before the rest of the text is read", () => {
  it.each([
    ["a bracket too few", '{"a": {"b": 1}, {"c"'],
    ["a bracket of the other kind", '{"a": [1}, {"c"'],
    ["a comma too few", '[{"a": 1} {"c"'],
    ["a quote too few", '{"a: 1,\n "b"'],
  ])("%s", (_what, beginning) => {
    let chunks = 0;
    function* endless(): Iterable<string> {
      yield beginning;
      for (; chunks < 100; chunks++) yield `: 1}, {"c"`.repeat(100);
    }
    const splitter = new JsonSplitter(new TextWindow(endless()), "test.json");
    expect(() => splitter.next()).toThrow(NotJson);
    expect(chunks).toBeLessThan(3);
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
  const anySize = fc.integer({ min: 1, max: 200 });

  it("a value is JSON if JSON.parse accepts it, wherever it is split", () => {
    fc.assert(
      fc.property(anyBroken, anySize, (text, size) => {
        expect(valuesIn(`[${text}]`, size)).toEqual(parsed(`[${text}]`));
      }),
      { numRuns: 3000 },
    );
  });

  it("the line and column behind a value are those of the text", () => {
    fc.assert(
      fc.property(anyWritten, anySize, (text, size) => {
        const splitter = splitterOf(`${text} `, size);
        splitter.next();
        const lines = text.split("\n");
        expect(splitter.position()).toEqual({ line: lines.length, column: lines.at(-1)!.length + 1 });
      }),
    );
  });
});

function parsed(text: string): readonly Json[] | undefined {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    return undefined;
  }
}
