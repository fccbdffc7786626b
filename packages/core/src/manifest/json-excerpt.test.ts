import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut } from "../testing/cut.js";
import { ByteWindow } from "./byte-window.js";
import { isObject, type Json } from "./document.js";
import type { Outline } from "./excerpt.js";
import { JsonExcerpts } from "./json-excerpt.js";
import { JsonScanner } from "./json-scanner.js";

const outline = {
  name: "all",
  ports: { port: "all" },
  spec: { ports: { port: "all", name: "all" } },
} as const;

function excerptOf(text: string): string {
  const scanner = new JsonScanner(new ByteWindow(cut(`${text} `, 10_000)));
  const excerpt = new JsonExcerpts(scanner, outline).read(0);
  expect(excerpt.end).toBe(new TextEncoder().encode(text).length);
  return excerpt.text;
}

describe("an excerpt", () => {
  it.each([
    [
      "has what the outline names",
      '{"name": "a", "b": {"name": "c"}, "spec": {}}',
      '{"name": "a","spec": {}}',
    ],
    [
      "of lists, what it names of each item",
      '{"ports": [{"port": 1, "a": [2]}, 3, {}]}',
      '{"ports": [{"port": 1},3,{}]}',
    ],
    ["may be empty", '{"a": {"name": [1]}, "b": "c"}', "{}"],
    [
      "keeps a part that is not what was expected",
      '{"spec": 1, "ports": {"port": {"a": 1}}}',
      '{"spec": 1,"ports": {"port": {"a": 1}}}',
    ],
    ["does not mistake keys that begin alike", '{"nam": 1, "names": 2, "name": 3}', '{"name": 3}'],
    [
      "keeps a key with an escape, which may be any",
      '{"n\\u0061me": 1, "a\\n": {"b": 2}}',
      '{"n\\u0061me": 1,"a\\n": {"b": 2}}',
    ],
    ["keeps all of equal keys", '{"name": 1, "a": 2, "name": 3}', '{"name": 1,"name": 3}'],
    ["of a single value is the value", '"text"', '"text"'],
  ])("%s", (_what, text, excerpt) => expect(excerptOf(text)).toBe(excerpt));
});

describe("laws", () => {
  const anyKey = fc.oneof(
    fc.constantFrom("name", "ports", "port", "spec", "nam\\u0065", "\\u0070ort"),
    fc.constantFrom("a", "é", '\\"'),
  );
  const { anyText } = fc.letrec<{ anyText: string }>((tie) => ({
    anyText: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('"text"', '"{\\"name\\": 1}"', "1", "-2.5e3", "null", "true", '"\\\\"', '"😀"'),
      fc.array(tie("anyText"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
      fc
        .array(fc.tuple(anyKey, fc.constantFrom("", " ", "\n  "), tie("anyText")), { maxLength: 6 })
        .map(
          (fields) =>
            `{${fields.map(([key, space, value]) => `${space}"${key}"${space}:${space}${value}`).join()}}`,
        ),
    ),
  }));

  /** The same, said of values. */
  function pruned(value: Json, part: Outline): Json {
    if (part === "all") return value;
    if (Array.isArray(value)) return value.map((item: Json) => pruned(item, part));
    if (!isObject(value)) return value;
    const fields = Object.entries(value).filter(([key]) => Object.hasOwn(part, key));
    return Object.fromEntries(fields.map(([key, inner]) => [key, pruned(inner, part[key]!)]));
  }

  it("whatever an outline names is in the excerpt as it is in the whole", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const excerpt = JSON.parse(excerptOf(text)) as Json;
        expect(pruned(excerpt, outline)).toEqual(pruned(JSON.parse(text) as Json, outline));
        if (!text.includes("\\u") && !text.includes('\\"')) expect(excerpt).toEqual(pruned(excerpt, outline));
      }),
      { numRuns: 1000 },
    );
  });
});
