import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Path } from "../diagnostics/place.js";
import { formatPath } from "../diagnostics/place.js";
import { isObject, type Json } from "./document.js";
import { readObjects } from "./read.js";
import { cut } from "../../testing/transform/cut.js";
import type { Source } from "./source.js";

/** Everything that a source says, with the places of all parts of its objects. */
function summary(source: Source): {
  readonly objects: readonly string[];
  readonly problems: readonly string[];
} {
  const objects: string[] = [];
  const problems: string[] = [];
  readObjects(source, {
    object: ({ apiVersion, kind, value, document, path, line }) => {
      const begins = document.placeOf(path);
      if (line !== undefined) expect(line).toBe(begins.line);
      const places = pathsIn(value).map((inner) => {
        const [at, key] = [document.placeOf([...path, ...inner]), document.placeOfKey([...path, ...inner])];
        return `${formatPath(inner)} ${at.line}:${at.column}+${at.length} ${key.line}:${key.column}+${key.length}`;
      });
      const written = document.writtenAt([...path, "kind"]);
      objects.push(
        JSON.stringify([apiVersion, kind, value, formatPath(path), document.file, written, ...places]),
      );
    },
    report: ({ code, place, path }) =>
      problems.push(`${code} ${place?.line}:${place?.column} ${formatPath(path ?? [])}`),
  });
  return { objects, problems };
}

function pathsIn(value: Json, path: Path = []): readonly Path[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item: Json, i) => pathsIn(item, [...path, i]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))
      : [];
  return [path, ...inside];
}

const inHand = (text: string) => summary({ file: "test", text });
const inChunks = (text: string, size: number) => summary({ file: "test", chunks: () => cut(text, size) });

/** The law: how a text comes makes no difference. */
function sameInChunks(text: string, size: number): void {
  expect(inChunks(text, size)).toEqual(inHand(text));
}

const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: 'ä {["]}' } },
});
const listOf = (items: readonly object[]) => ({ apiVersion: "v1", kind: "List", items });
/** As kubectl orders the fields. */
const kubectlList = (items: readonly object[]) => ({ apiVersion: "v1", items, kind: "List", metadata: {} });
const podList = (items: readonly object[]) => ({ kind: "PodList", apiVersion: "v1", metadata: {}, items });
const bare = (name: string) => ({ metadata: { name } });

const cases: readonly (readonly [string, string])[] = [
  ["a list", JSON.stringify(listOf([pod("a"), pod("b")]))],
  ["a list with its kind at the end", JSON.stringify(kubectlList([pod("a"), pod("b")]))],
  ["a list as kubectl indents it", JSON.stringify(kubectlList([pod("a"), pod("b"), pod("c")]), null, 4)],
  ["with CRLF", JSON.stringify(kubectlList([pod("a"), pod("b")]), null, 2).replaceAll("\n", "\r\n")],
  ["with tabs", JSON.stringify(kubectlList([pod("a"), pod("b")]), null, "\t")],
  ["with a byte order mark", `\uFEFF${JSON.stringify(kubectlList([pod("a"), pod("b")]), null, 2)}`],
  ["a typed list", JSON.stringify(podList([bare("a"), bare("b")]))],
  [
    "a typed list with its kind at the end",
    JSON.stringify({ items: [bare("a"), pod("b")], kind: "PodList", apiVersion: "v1" }),
  ],
  ["lists in lists", JSON.stringify(listOf([podList([bare("a")]), pod("b"), listOf([pod("c")])]))],
  ["an empty list", JSON.stringify(listOf([]))],
  ["an empty list with space", '{"kind": "List", "items": [  ], "apiVersion": "v1"}'],
  ["a list without items", '{"kind": "List", "items": null}'],
  [
    "an item that is not an object",
    '{"kind": "List", "items": [1, null, {"kind": "Pod", "apiVersion": "v1"}, [2]]}',
  ],
  ["one object", JSON.stringify(pod("a"))],
  ["one object that is not a list but has items", '{"kind": "ConfigMap", "items": [{"a": 1}, {"b": 2}]}'],
  [
    "a stream of objects",
    `${JSON.stringify(pod("a"))}\n${JSON.stringify(pod("b"))}${JSON.stringify(pod("c"), null, 2)}\n`,
  ],
  [
    "a stream of lists",
    `${JSON.stringify(kubectlList([pod("a")]))} ${JSON.stringify(podList([bare("b")]), null, 2)}`,
  ],
  ["a list of values", '[{"a": 1}]\n[2] 3'],
  ["other numbers at the end", '{"a": -0.5e-7}\n-12.5E+3'],
  [
    "texts in many bytes a character",
    `[{"a": "ä€😀"}, "😀ä"] ${JSON.stringify(listOf([pod("😀€"), pod("b")]))}`,
  ],
];

const yamlCases: readonly (readonly [string, string])[] = [
  ["a list", stringify(listOf([pod("a"), pod("b")]))],
  [
    "a list as kubectl writes it",
    stringify(kubectlList([pod("a"), pod("b"), pod("c")]), { indentSeq: false }),
  ],
  ["with a byte order mark", `\uFEFF${stringify(kubectlList([pod("a"), pod("b")]), { indentSeq: false })}`],
  ["with CRLF", stringify(kubectlList([pod("a"), pod("b")])).replaceAll("\n", "\r\n")],
  ["a typed list", stringify(podList([bare("a"), bare("b")]))],
  [
    "a typed list with its kind at the end",
    "items:\n- metadata: {name: a}\n- metadata:\n    name: b\nkind: PodList\napiVersion: v1\n",
  ],
  ["lists in lists", stringify(listOf([podList([bare("a")]), pod("b")]))],
  [
    "items with braces, comments and dashes alone",
    "kind: List\nitems:\n# one\n- {a: 1}\n# two\n-\n  b: 2\n\n  # three\n- c: |\n    - d\n# four\nmetadata: {}\n",
  ],
  ["an item that is no object", "kind: List\nitems:\n- a: 1\n- null\n- [1]\n"],
  ["other lists behind the items", "kind: List\nitems:\n- a: 1\n- a: 2\nothers:\n- a: 3\n- a: 4\n"],
  ["documents", "# first\na: 1\n---\n\nb: 2\n--- # third\nc: 3\n---\n---\nd: {e: 4}"],
  [
    "documents and lists",
    `---\n${stringify(kubectlList([pod("a")]))}---\n${stringify(pod("b"))}---\n${stringify(listOf([pod("c"), pod("d")]))}`,
  ],
  ["one object that is not a list but has items", "kind: ConfigMap\nitems:\n- a: 1\n- b: 2\n"],
  ["a list of values", "- a: 1\n- b: 2\n"],
  ["flow style", "{kind: List, items: [{a: 1}, {b: 2}]}\n"],
  ["a text", "just a text\n---\n42\n"],
  ["nothing", "# nothing\n"],
];

describe("what comes in chunks is read as if it were in hand", () => {
  it.each(cases)("JSON: %s", (_what, text) => {
    for (const size of [1, 7, 40, 150, 10_000]) sameInChunks(text, size);
  });

  it.each(yamlCases)("YAML: %s", (_what, text) => {
    for (const size of [1, 7, 40, 150, 10_000]) sameInChunks(text, size);
  });

  it("whatever it holds and wherever it is cut", () => {
    const anyItem = fc.oneof(
      fc.string().map(pod),
      fc.string().map(bare),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      fc.array(fc.string().map(pod), { maxLength: 2 }).map(listOf),
    );
    const anyList = fc
      .tuple(fc.array(anyItem, { maxLength: 5 }), fc.constantFrom(listOf, kubectlList, podList))
      .map(([items, list]) => list(items));
    const anyText = fc.oneof(
      fc
        .tuple(fc.array(anyList, { minLength: 1, maxLength: 2 }), fc.constantFrom(0, 2, 4))
        .map(([lists, indent]) => lists.map((list) => JSON.stringify(list, null, indent)).join("\n")),
      fc
        .tuple(
          fc.array(anyList, { minLength: 1, maxLength: 2 }),
          fc.boolean(),
          fc.constantFrom("any", "flow"),
        )
        .map(([lists, indentSeq, style]) =>
          lists
            .map((list) => stringify(list, { version: "1.1", indentSeq, collectionStyle: style }))
            .join("---\n"),
        ),
    );
    fc.assert(fc.property(anyText, fc.integer({ min: 1, max: 300 }), sameInChunks), { numRuns: 300 });
  });
});

describe("mistakes in what comes in chunks", () => {
  const list = (items: string) => `{"kind": "List",\n "items": [\n${items}`;
  it.each([
    ["the text ends too soon", list('{"kind": "Pod", "apiVersion": "v1"},\n {"a"'), "TW1001 4:2 ", 1],
    ["an item is broken", list('{"a": 1},\n {"a": tru}]}'), "TW1001 4:8 ", 1],
    ["a comma is missing", list('{"a": 1}\n {"b": 1}]}'), "TW1001 4:2 ", 1],
    ["something else follows", `${list('{"a": 1}]}')}\n x`, "TW1001 4:2 ", 1],
    ["two lists in one", list('{"a": 1}],\n "items": []}'), "TW1001 4:9 ", 1],
    [
      "it is not a list after all",
      '\n{"items": [{"kind": "Pod", "apiVersion": "v1"}], "kind": "Pod"}',
      "TW1005 2:1 ",
      1,
    ],
  ])("JSON: %s", (_what, text, problem, objects) => {
    const found = inChunks(text, 30);
    expect(found.problems).toEqual([problem]);
    expect(found.objects.length).toBe(objects);
  });

  it("YAML: a broken item does not hide the others, nor their places", () => {
    const text = "kind: List\nitems:\n- a: 1\n- b: [1\n- c: 1\n  c: 2\n- d: 1\n";
    const { objects, problems } = inChunks(text, 25);
    expect(objects.length).toBe(2);
    expect(objects[1]).toContain("7:3");
    expect(problems).toEqual(["TW1001 5:1 ", "TW1002 6:3 "]);
  });
});
