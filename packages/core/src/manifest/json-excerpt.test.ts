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

/** The excerpts of texts that follow each other; undefined for those that must be read as a whole. */
function excerptsOf(texts: readonly string[]): readonly (Json | undefined)[] {
  const all = `${texts.join("\n")}\n`;
  const scanner = new JsonScanner(new ByteWindow(cut(all, 1_000_000)));
  const excerpts = new JsonExcerpts(scanner, outline);
  let at = 0;
  const values = texts.map(() => {
    const { value, end } = excerpts.read(at);
    at = scanner.space(end);
    return value;
  });
  expect(at).toBe(new TextEncoder().encode(all).length);
  expect(scanner.position(at).line).toBe(all.split("\n").length);
  return values;
}

describe("an excerpt", () => {
  it.each<[string, string, Json]>([
    ["has what the outline names", '{"name": "a", "b": {"name": "c"}, "spec": {}}', { name: "a", spec: {} }],
    [
      "of lists, what it names of each item",
      '{"ports": [{"port": 1, "a": [2]}, 3, {}]}',
      { ports: [{ port: 1 }, 3, {}] },
    ],
    ["may be empty", '{"a": {"name": [1]}, "b": "c"}', {}],
    [
      "keeps a part that is not what was expected",
      '{"spec": 1, "ports": {"port": {"a": 1}}}',
      { spec: 1, ports: { port: { a: 1 } } },
    ],
    ["keeps lists of lists", '{"ports": [[{"port": 1, "a": 2}]]}', { ports: [[{ port: 1, a: 2 }]] }],
    ["does not mistake keys that begin alike", '{"nam": 1, "names": 2, "name": 3}', { name: 3 }],
    ["has the last of equal keys", '{"spec": {"ports": 1}, "a": 2, "spec": {}}', { spec: {} }],
    ["reads escapes in texts", '{"name": "\\u0061\\"é"}', { name: 'a"é' }],
  ])("%s", (_what, text, excerpt) => expect(excerptsOf([text])).toEqual([excerpt]));

  it.each(['{"n\\u0061me": 1}', '{"spec": {"\\n": 1}}', '{"ports": [{"por\\u0074": 1}]}'])(
    "is not enough where a key may be any: %s",
    (text) => expect(excerptsOf([text, "{}"])).toEqual([undefined, {}]),
  );

  it("is made of lists nested as deeply as they like", () => {
    const depth = 100_000;
    const [excerpt] = excerptsOf([`{"ports": ${"[".repeat(depth)}${"]".repeat(depth)}, "name": 1}`]);
    expect(excerpt).toHaveProperty("name", 1);
  });

  it("shares what equals the one before", () => {
    const [first, second, third] = excerptsOf([
      '{"name": {"a": 1}, "ports": [{"port": 1, "a": 2}]}',
      '{"name": {"a": 1}, "ports": [{"port": 1, "a": 3}]}',
      '{"name": {"a": 2}, "ports": [{"port": 11}]}',
    ]) as { name: Json; ports: Json }[];
    expect(second!.name).toBe(first!.name);
    expect(second!.ports).toBe(first!.ports);
    expect(third).toEqual({ name: { a: 2 }, ports: [{ port: 11 }] });
  });
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
  function pruned(value: Json, part: Outline | "all"): Json {
    if (part === "all") return value;
    if (Array.isArray(value))
      return value.map((item: Json) => (Array.isArray(item) ? item : pruned(item, part)));
    if (!isObject(value)) return value;
    const fields = Object.entries(value).filter(([key]) => Object.hasOwn(part, key));
    return Object.fromEntries(fields.map(([key, inner]) => [key, pruned(inner, part[key]!)]));
  }

  it("whatever an outline names is in the excerpt as it is in the whole, whatever was read before", () => {
    const anyObject = anyText.filter((text) => text.startsWith("{"));
    // Few of them, so that many follow one that they equal in part.
    const anyTexts = fc
      .array(anyObject, { minLength: 1, maxLength: 3 })
      .chain((few) => fc.array(fc.constantFrom(...few), { minLength: 1, maxLength: 8 }));
    fc.assert(
      fc.property(anyTexts, (texts) => {
        excerptsOf(texts).forEach((excerpt, i) => {
          const text = texts[i]!;
          if (excerpt === undefined) expect(text).toMatch(/\\/);
          else expect(excerpt).toEqual(pruned(JSON.parse(text) as Json, outline));
        });
      }),
      { numRuns: 1000 },
    );
  });
});
