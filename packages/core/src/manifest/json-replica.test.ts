import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { cut } from "../testing/cut.js";
import { ByteWindow } from "./byte-window.js";
import type { Json } from "./document.js";
import type { Excerpt } from "./excerpt.js";
import { JsonExcerpts } from "./json-excerpt.js";
import { JsonReplica } from "./json-replica.js";
import { Broken, JsonScanner, Unfinished } from "./json-scanner.js";
import type { Receiver } from "./object.js";
import { readObjects } from "./read.js";

const outline = {
  name: "all",
  labels: "all",
  ips: { ip: "all" },
  status: { phase: "all", count: "all" },
} as const;

interface Outcome {
  readonly value: Json | undefined;
  readonly end: number;
  readonly line: number;
  readonly column: number;
}

/** What is read of the last of some objects that follow each other, counted from where it begins. */
function lastOf(texts: readonly string[]): Outcome | "broken" | "unfinished" {
  const scanner = new JsonScanner(new ByteWindow(cut(`${texts.join("\n")}\n`, 1_000_000)));
  const excerpts = new JsonExcerpts(scanner, outline);
  let at = 0;
  for (let i = 1; i < texts.length; i++) at = scanner.space(excerpts.read(at).end);
  const { line: first } = scanner.position(at);
  try {
    const { value, end } = excerpts.read(at);
    const { line, column } = scanner.position(end);
    return { value, end: end - at, line: line - first, column };
  } catch (cause) {
    if (cause instanceof Broken) return "broken";
    if (cause instanceof Unfinished) return "unfinished";
    throw cause;
  }
}

/** How many of some objects that follow each other were compared with the one before instead of walked over. */
function followed(texts: readonly string[]): number {
  const follow = vi.spyOn(JsonReplica.prototype, "follow");
  try {
    lastOf(texts);
    return follow.mock.results.filter(({ value }) => value !== undefined).length;
  } finally {
    follow.mockRestore();
  }
}

const object = {
  annotations: { a: "b", n: 1 },
  ips: [{ ip: "10.0.0.1", zone: "a" }],
  labels: { app: "web" },
  list: [1, true, null, [], {}],
  name: "web-1",
  status: { count: 12, phase: "Running", ready: true },
};

const written = (change: object, indent = 4): string =>
  JSON.stringify({ ...object, ...change }, null, indent);

describe("an object that is written like the one before is compared with it", () => {
  it.each<[string, object]>([
    ["it is the same", {}],
    ["a text is another", { name: "web-2" }],
    ["a text is longer", { name: "website-12345" }],
    ["a text is empty", { name: "" }],
    ["a text has escapes", { name: 'a"\\\n' }],
    ["a number is longer", { status: { ...object.status, count: 123_456 } }],
    ["a number is shorter", { status: { ...object.status, count: 1 } }],
    ["a number is a fraction", { status: { ...object.status, count: -1.5e-7 } }],
    ["a word is another", { status: { ...object.status, ready: false } }],
    ["a text of an item is another", { ips: [{ ip: "fd00::1", zone: "b" }] }],
    ["only a part that nobody reads is another", { annotations: { a: "c", n: 22 } }],
    [
      "a key is another where all is read, or nothing",
      { labels: { tier: "web" }, annotations: { b: "b", n: 1 } },
    ],
  ])("where %s", (_what, change) => {
    for (const indent of [0, 1, 4]) {
      const other = written(change, indent);
      const texts = [written({}, indent), other, written({}, indent), other];
      expect(followed(texts)).toBe(3);
      expect(lastOf(texts)).toEqual(lastOf([other]));
    }
  });
});

describe("an object that is not written like the one before is walked over", () => {
  it.each<[string, string]>([
    ["a field is missing", written({ annotations: undefined })],
    [
      "a field has another name, which may be a wanted one",
      written({}).replace('"annotations"', '"annotationz"'),
    ],
    ["a list is longer", written({ ips: [...object.ips, ...object.ips] })],
    ["a value is of another sort", written({ name: 1 })],
    ["a number is a text", written({ status: { ...object.status, count: "12" } })],
    ["a text is an object", written({ name: {} })],
    ["a word is a list", written({ list: [1, [], null, [], {}] })],
    ["it is indented otherwise", written({}, 2)],
    ["there is nothing in it", "{}"],
  ])("where %s", (_what, other) => {
    expect(followed([written({}), other])).toBe(0);
    expect(lastOf([written({}), other])).toEqual(lastOf([other]));
  });
});

it("shares what it has in common with the one before", () => {
  const scanner = new JsonScanner(
    new ByteWindow(cut(`${written({})}\n${written({ name: "web-2" })}\n`, 1000)),
  );
  while (scanner.more(0));
  const excerpts = new JsonExcerpts(scanner, outline);
  const first = excerpts.read(0);
  const second = excerpts.read(scanner.space(first.end));
  expect(second.value!.labels).toBe(first.value!.labels);
  expect(second.value!.ips).toBe(first.value!.ips);
  expect(second.value!.name).toBe("web-2");
});

describe("columns on one line", () => {
  it("count characters, whichever object they are in", () => {
    const plain = '{"name": "e"}';
    const accented = '{"name": "é"}';
    for (const texts of [
      [plain, accented, accented, plain],
      [accented, plain, accented],
      ['{"a": "é", "name": "e"}', '{"a": "é", "name": "f"}'],
    ]) {
      const line = texts.join(" ");
      const scanner = new JsonScanner(new ByteWindow(cut(`${line} `, 1000)));
      const excerpts = new JsonExcerpts(scanner, outline);
      let at = 0;
      for (let i = 0; i < texts.length; i++) at = scanner.space(excerpts.read(at).end);
      expect(scanner.position(at)).toEqual({ line: 1, column: line.length + 2 });
    }
  });

  it("count on the last line of an object that ends in a number", () => {
    const texts = ['{"a":\n[1, 2]}', '{"a":\n[1, 22]}'];
    expect(lastOf(texts)).toEqual(lastOf(texts.slice(1)));
  });
});

describe("laws", () => {
  /** Some bytes of a text are gone, or others. */
  const edited = (text: string) =>
    fc
      .array(
        fc.tuple(
          fc.nat({ max: text.length - 1 }),
          fc.nat({ max: 3 }),
          fc.constantFrom(
            "",
            '"',
            "\\",
            "1",
            "e",
            ".",
            "-",
            "true",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "é",
            "a",
          ),
        ),
        { minLength: 1, maxLength: 2 },
      )
      .map((edits) =>
        edits.reduce((all, [at, gone, put]) => all.slice(0, at) + put + all.slice(at + gone), text),
      );

  it("what is read, and what is refused, does not hang on what was read before", () => {
    const cases = fc
      .constantFrom(0, 2)
      .chain((indent) => fc.tuple(fc.constant(indent), edited(written({}, indent))));
    fc.assert(
      fc.property(cases, ([indent, text]) => {
        const before = written({}, indent);
        fc.pre(text.startsWith("{"));
        expect(lastOf([before, text])).toEqual(lastOf([text]));
        expect(lastOf([before, before, text])).toEqual(lastOf([text]));
      }),
      { numRuns: 1000 },
    );
  });

  it("a file is the same without excerpts, wherever it is cut and whatever is wrong with it", () => {
    const pods = ["a", "bcd", "e"].map((name) => ({ kind: "Pod", metadata: { name }, n: 1 }));
    const text = JSON.stringify({ apiVersion: "v1", kind: "PodList", items: pods }, null, 2);
    const excerpt: Excerpt = {
      outline: { kind: "all", metadata: "all" },
      suffices: (_, kind) => kind === "Pod",
    };
    const read = (file: string, size: number, more: { excerpt?: Excerpt }) => {
      const found: unknown[] = [];
      const receiver: Receiver = {
        object: ({ value, line, document, path }) =>
          found.push([value.metadata, line, document.placeOf([...path, "metadata", "name"])]),
        report: ({ message, place }) => found.push([message, place]),
        ...more,
      };
      readObjects({ file: "test.json", chunks: () => cut(file, size) }, receiver);
      return found;
    };
    const files = [
      text,
      text.replace('"e"', '"e'),
      text.replace(/"n": 1(?=.*"e")/s, '"n" 1'),
      text.slice(0, -40),
    ];
    for (const file of files)
      for (let size = 1; size < file.length; size += 5)
        expect(read(file, size, { excerpt })).toEqual(read(file, size, {}));
  });
});
