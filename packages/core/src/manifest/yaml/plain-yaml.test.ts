/// <reference types="node" />

import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Json } from "../document.js";
import { Lines } from "../lines.js";
import { readPlainYaml } from "./plain-yaml.js";
import { parseYaml } from "./yaml.js";
import { parseTrees } from "./yaml-tree.js";

/** What the library says: its values, or undefined where it complains. */
function library(text: string): readonly Json[] | undefined {
  const lines = new Lines("test.yaml", text);
  const place = (start: number, end: number) => lines.place(start, end);
  const { documents, diagnostics } = parseTrees({ text, file: "test.yaml", place });
  return diagnostics.length > 0 ? undefined : documents.map(({ value }) => value);
}

/** The law: the quick reader declines, or reads what the library reads, down to the order of keys. */
function agrees(text: string): boolean {
  const quick = readPlainYaml(text);
  if (quick === undefined) return false;
  const expected = library(text);
  expect(JSON.stringify(expected)).toBe(JSON.stringify(quick === null ? [] : [quick]));
  return true;
}

describe("what is plain enough to be read quickly", () => {
  it.each([
    ["a mapping", "a: 1\nb: web\n", { a: 1, b: "web" }],
    ["without a line break at its end", "a: 1", { a: 1 }],
    [
      "comments, empty lines and spaces",
      "# one\n\na: 1 # two\n  # three\nb: 'x' # four\n \n",
      { a: 1, b: "x" },
    ],
    ["mappings in mappings", "a:\n  b:\n      c: x\n  d: z\n", { a: { b: { c: "x" }, d: "z" } }],
    ["lists below their key", "a:\n- 1\n- x\nb: 2\n", { a: [1, "x"], b: 2 }],
    ["lists to its right", "a:\n  - 1\n  - x\nb: 2\n", { a: [1, "x"], b: 2 }],
    [
      "lists of mappings",
      "- a: 1\n  b: 2\n-   c: 3\n    d: 4\n",
      [
        { a: 1, b: 2 },
        { c: 3, d: 4 },
      ],
    ],
    ["lists of lists", "- - 1\n  - 2\n- - - 3\n", [[1, 2], [[3]]]],
    ["dashes alone", "-\n  a: 1\n-\n- b\n", [{ a: 1 }, null, "b"]],
    ["nothing behind a key", "a:\nb:\n  c:\n", { a: null, b: { c: null } }],
    ["a value below its key", "a:\n  web\nb:\n  'x'\n", { a: "web", b: "x" }],
    ["empty braces", "a: {}\nb: []\nc:\n- {}\n", { a: {}, b: [], c: [{}] }],
    [
      "braces and brackets on one line",
      "a: {b: 1, 'c': [x, \"y z\"], d: {}} # e\nf:\n- {ip: fd00::1}\n- [ g h , -i ]\n",
      { a: { b: 1, c: ["x", "y z"], d: {} }, f: [{ ip: "fd00::1" }, ["g h", "-i"]] },
    ],
    ["colons and hashes in words", "a: b:c\nf:app: x#y\n.: {}\n", { a: "b:c", "f:app": "x#y", ".": {} }],
    [
      "addresses and hashes",
      "a: 10.0.0.1\nb: fd00::1\nc: 9e3779b19\n",
      { a: "10.0.0.1", b: "fd00::1", c: "9e3779b19" },
    ],
    ["words of YAML", "a: yes\nb: Off\nc: ~\nd: n\ne: -7\n", { a: true, b: false, c: null, d: false, e: -7 }],
    ["quotes", "'a b': \"x\\n\\u00e4\"\n\"c\": 'it''s'\n", { "a b": "x\nä", c: "it's" }],
    [
      "texts of several lines",
      "a: one\n  two\n  three\nb: 'four\n  five'\nc: \"six\n  seven\"\n",
      {
        a: "one two three",
        b: "four five",
        c: "six seven",
      },
    ],
    [
      "block texts",
      "a: |\n  x\n\n   y\nb: |-\n  z\nc: >\n  u\n  v\n",
      { a: "x\n\n y\n", b: "z", c: "u v\n" },
    ],
    ["a block text in a list", "- |+\n  x\n\n- z\n", ["x\n\n", "z"]],
  ])("%s", (_what, text, value) => {
    expect(readPlainYaml(text)).toEqual(value);
    expect(agrees(text)).toBe(true);
  });

  it.each([
    ["anchors and aliases", "a: &x 1\nb: *x\n"],
    ["tags", "a: !!str 1\n"],
    ["braces over several lines", "a: {b: 1,\n  c: 2}\n"],
    ["comments in braces", "a: [b, # c\n  d]\n"],
    ["equal keys in braces", "a: {b: 1, b: 2}\n"],
    ["a key without a value", "a: {b}\n"],
    ["a key with nothing behind it", "a: {b: }\n"],
    ["a pair in a list", "a: [b: 1]\n"],
    ["a comma with nothing behind it", "a: [b, ]\n"],
    ["braces that are a key", "{a: 1}: b\n"],
    ["braces with something behind them", "a: {b: 1} c\n"],
    ["braces that do not close", "a: {b: 1\n"],
    ["merge keys", "<<: {}\n"],
    ["explicit keys", "? a\n: b\n"],
    ["keys that are no text", "80: web\n"],
    ["a key called __proto__", "__proto__: 1\n"],
    ["equal keys", "a: 1\nb: 2\na: 3\n"],
    ["numbers that few people write", "a: 0x1F\n"],
    ["floats", "a: 1.5\n"],
    ["a list where a mapping has begun", "a: 1\n- b\n"],
    ["an indentation that leads nowhere", "a:\n    b: 1\n  c: 2\n"],
    ["two mappings on one line", "a: b: c\n"],
    ["tabs", "a:\tb\n"],
    ["CRLF", "a: 1\r\n"],
    ["markers and directives", "--- a\n"],
    ["the end of a document", "a: 1\n...\n"],
    ["a text that does not end", "a: 'b\n"],
    ["an empty line within a text", "a: one\n\n  two\n"],
    ["an empty line within quotes", "a: 'one\n\n  two'\n"],
    ["a comment within a text", "a: one\n  # two\n  three\n"],
    ["an empty line in what folds", "a: >\n  one\n\n  two\n"],
    ["a line of spaces in a block text", "a: |\n  one\n     \n  two\n"],
    ["an indentation that is given", "a: |2\n  one\n"],
    ["nothing", "# only a comment\n"],
  ])("not %s", (_what, text) => expect(readPlainYaml(text)).toBeUndefined());
});

const words = [
  "a",
  "b",
  "web",
  "yes",
  "n",
  "on",
  "No",
  "null",
  "~",
  "y",
  "true",
  "FALSE",
  "tRue",
  "<<",
  "=",
  "__proto__",

  "0",
  "80",
  "-1",
  "+1",
  "-0",
  "010",
  "0x1F",
  "0b1",
  "1_000",
  "1.5",
  ".5",
  "5.",
  "1e3",
  "12e5",
  ".inf",
  "-.INF",
  ".nan",

  "._e5",
  ".",
  "..",
  "...",
  "---",
  "-",
  "--",
  "-a",
  "- a",
  ":",
  ":a",
  "a:",
  "?",
  "? a",
  "?a",
  "#",
  "# c",
  "a#b",
  "a #b",

  "1:30",
  "2001-01-01",
  "10.0.0.1",
  "1.2.3",
  "9007199254740993",
  "0o7",
  "1__",
  "_1",
  "e1",
  "1e",
  "0x",
  "08",

  "{}",
  "[]",
  "{a: 1}",
  "[1, a]",
  "{a: 'b', \"c d\": [e, {f: g:h}]}",
  "[ 10.0.0.0/8 , fd00::/8, '']",
  "[a, ",
  ", b: c}",
  "{a: [b, c}",
  "{a: b: c}",
  "{a:b}",
  "{a: b:}",
  "{'a':b}",
  "[a b, -, - c]",
  "[-a, ?b, :c]",
  "[a#b, c #d]",
  "{on: yes, <<: {}}",
  "{ }",
  "{}x",
  "[]: 1",
  "{}: 1",
  "&a",
  "&a b",
  "*a",
  "!!str 1",
  "!t",
  "@a",
  "`a",
  "%a",
  ",",
  "]",
  "}",

  "'x'",
  "''",
  "'it''s'",
  "'x' # c",
  "'x'y",
  '"x"',
  '""',
  '"\\n\\t\\"\\\\"',
  '"\\u00e4"',
  '"\\x41"',
  '"\\ "',
  '"x"y',
  '"',
  "'",

  "|",
  ">",
  "|-",
  ">-",
  "|+",
  ">+",
  "|2",
  "| # c",
  "|x",
  "a b",
  "a  b",
  "a ",
  "ä",
  "\u{1F600}",
  "a\tb",
  "\t",
  "a, b",
  "a]",
  "a: b",
];

/** Random lines, most of which are nearly YAML. */
const anyLine = fc
  .record({
    indent: fc.constantFrom(0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 6),
    dashes: fc.constantFrom("", "", "", "- ", "- - ", "-   ", "-"),
    key: fc.constantFrom(
      "",
      "a: ",
      "b: ",
      "c: ",
      "d:  ",
      "e:",
      "'f': ",
      '"g": ',
      "h : ",
      "i:j: ",
      "on: ",
      "80: ",
    ),
    value: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...words) },
      { weight: 1, arbitrary: fc.constant("") },
    ),
    comment: fc.constantFrom("", "", "", "", " # x", "  "),
  })
  .map(({ indent, dashes, key, value, comment }) => `${" ".repeat(indent)}${dashes}${key}${value}${comment}`);

const anyText = fc
  .record({
    lines: fc.array(fc.oneof({ weight: 9, arbitrary: anyLine }, { weight: 1, arbitrary: fc.constant("") }), {
      minLength: 1,
      maxLength: 8,
    }),
    end: fc.constantFrom("\n", "\n", "\n\n", ""),
  })
  .map(({ lines, end }) => lines.join("\n") + end);

/** Values between braces on one line, in many styles, some of them broken. */
const anyFlow = fc
  .record({
    value: fc.letrec<{ node: string; list: string; mapping: string; word: string }>((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, tie("word"), tie("list"), tie("mapping")),
      list: fc
        .tuple(fc.array(tie("node"), { maxLength: 3 }), fc.constantFrom(",", ", ", " , "))
        .map(([items, separator]) => `[${items.join(separator)}]`),
      mapping: fc
        .array(fc.tuple(fc.constantFrom("a", "b", "c", "'d'", '"e"', "f g", "h:i"), tie("node")), {
          maxLength: 3,
        })
        .map((fields) => `{${fields.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
      word: fc.constantFrom(...words),
    })).node,
    before: fc.constantFrom("a: ", "- ", "", "- b: "),
    cut: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }),
  })
  .map(({ value, before, cut }) => `${before}${value.slice(0, value.length - cut)}\n`);

/** Values written by the library, in many styles. */
const anyWritten = fc
  .record({
    value: fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(0, 20, 40),
    blockQuote: fc.constantFrom(true, false, "literal" as const, "folded" as const),
    singleQuote: fc.constantFrom(null, true, false),
  })
  .map(({ value, ...options }) => stringify(value, { version: "1.1", minContentWidth: 0, ...options }));

const corpus = ["../../../../../examples/", "../../../../../test/broken/"].flatMap((folder) => {
  const root = new URL(folder, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml"))
    .toSorted()
    .map((path) => readFileSync(new URL(path.replaceAll("\\", "/"), root), "utf8"));
});

/** Lines of real manifests with something changed in them. */
const anyMutated = fc
  .record({
    text: fc.constantFrom(...corpus),
    from: fc.nat(),
    length: fc.integer({ min: 1, max: 40 }),
    changes: fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("delete", "insert", "twice", "indent", "cut"),
        fc.constantFrom(...words),
      ),
    ),
  })
  .map(({ text, from, length, changes }) => {
    const all = text.split("\n");
    const lines = all.slice(from % all.length, (from % all.length) + length);
    for (const [where, what, word] of changes) {
      const i = where % Math.max(1, lines.length);
      const line = lines[i] ?? "";
      if (what === "delete") lines.splice(i, 1);
      else if (what === "twice") lines.splice(i, 0, line);
      else if (what === "indent") lines[i] = ` ${line}`;
      else if (what === "cut") lines[i] = line.slice(0, where % (line.length + 1));
      else
        lines[i] =
          `${line.slice(0, where % (line.length + 1))}${word}${line.slice(where % (line.length + 1))}`;
    }
    return `${lines.join("\n")}\n`;
  });

const numRuns = Number(process.env.YAML_RUNS ?? 1000);

describe("laws", () => {
  it.each([
    ["lines at random", anyText],
    ["values in many styles", anyWritten],
    ["values between braces", anyFlow],
    ["manifests with changes", anyMutated],
  ])("reads %s as the library does, or declines", (_what, texts) => {
    let [tried, read] = [0, 0];
    fc.assert(
      fc.property(texts, (text) => {
        tried++;
        if (agrees(text)) read++;
      }),
      { numRuns },
    );
    // A reader that declines everything agrees too.
    expect(read).toBeGreaterThan(tried / 20);
  });

  it("reads most of what is written by hand", () => {
    const documents = corpus.flatMap((text) => text.split(/^---\n/m));
    expect(documents.filter(agrees).length).toBeGreaterThan(documents.length * 0.9);
  });

  it("files of several documents give the values, errors and places that the library alone gives", () => {
    const anyFile = fc
      .array(fc.oneof(anyText, anyMutated), { minLength: 1, maxLength: 4 })
      .chain((parts) =>
        fc.constantFrom("---\n", "--- \n", "--- # c\n", "\n---\n").map((marker) => parts.join(marker)),
      );
    fc.assert(
      fc.property(anyFile, (text) => {
        const lines = new Lines("test.yaml", text);
        const alone = parseTrees({ text, file: "test.yaml", place: (start, end) => lines.place(start, end) });
        const both = parseYaml(text, "test.yaml");
        expect(both.diagnostics).toEqual(alone.diagnostics);
        const summary = ({ documents }: typeof both) =>
          documents.map((document) => [
            JSON.stringify(document.value),
            ...[[], [0], ["a"], ["a", "b"], ["spec"], ["metadata", "name"]].map((path) => [
              document.placeOf(path),
              document.placeOfKey(path),
            ]),
          ]);
        expect(summary(both)).toEqual(summary(alone));
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    );
  });
});
