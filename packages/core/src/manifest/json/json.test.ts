import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Path } from "../../diagnostics/place.js";
import { isObject, type Json, type ParsedDocument } from "../document.js";
import { parseJson } from "./json.js";
import { parseManifest } from "../parse.js";

const documentIn = (text: string, index = 0): ParsedDocument => parseJson(text, "test.json")!.at(index)!;
const valuesOf = (text: string) => parseJson(text, "test.json")?.map((document) => document.value);

describe("what is read as JSON", () => {
  it.each([
    ["an object", '{"a": [1, null, true, "x"]}', [{ a: [1, null, true, "x"] }]],
    ["a list", "[1]", [[1]]],
    ["with space around it", ' \n\t{"a": 1}\r\n', [{ a: 1 }]],
    ["a stream with nothing between", '{"a": 1}{"b": 2}', [{ a: 1 }, { b: 2 }]],
    ["a stream with lines between", '{"a": 1}\n\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
    [
      "brackets and quotes in texts",
      '{"a": "}]{[\\"", "b\\\\": "\\\\"}{"c": "{"}',
      [{ a: '}]{["', "b\\": "\\" }, { c: "{" }],
    ],
    ["words of YAML stay text", '{"a": "on", "b": "012"}', [{ a: "on", b: "012" }]],
    ["of equal keys the last one, as the API server does it", '{"a": 1, "a": 2}', [{ a: 2 }]],
  ])("%s", (_what, text, values) => expect(valuesOf(text)).toEqual(values));

  it.each([
    ["YAML", "a: 1"],
    ["YAML with braces", "{a: 1}"],
    ["a trailing comma", '{"a": 1,}'],
    ["a comment", '// no\n{"a": 1}'],
    ["a single value", '"text"'],
    ["what is cut off", '{"a": [1, 2'],
    ["an object and something else", '{"a": 1} x'],
    ["nothing", ""],
  ])("not %s", (_what, text) => expect(valuesOf(text)).toBeUndefined());

  it("JSON that is nearly right is read as YAML, which forgives more", () => {
    const { documents, diagnostics } = parseManifest('{"a": 1, /* no */}', "test.json");
    expect(documents.length + diagnostics.length).toBeGreaterThan(0);
    expect(parseManifest('{"a": 1,}', "test.json").documents.map((d) => d.value)).toEqual([{ a: 1 }]);
  });

  it("broken JSON is an error with its place", () => {
    const { documents, diagnostics } = parseManifest('{\n  "a": [1, 2\n}\n', "test.json");
    expect(documents).toEqual([]);
    expect(diagnostics[0]).toMatchObject({ code: "TW1001", place: { file: "test.json", line: 3 } });
  });
});

const text = `{
  "kind": "Pod", "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "w\\"eb"}},
  "spec": {
    "list": [ 1, {"x": true},
              [2, 33], "\\\\" ],
    "empty": {}, "none": null
  }
}`;

describe("places of values and keys", () => {
  const document = documentIn(text);
  const lines = text.split("\n");
  const show = ({ line, column, length }: { line: number; column: number; length: number }) =>
    `${line}:${column} ${lines[line - 1]?.slice(column - 1, column - 1 + length)}`;
  const cases: readonly (readonly [Path, string, string])[] = [
    [["kind"], '2:11 "Pod"', '2:3 "kind"'],
    [["metadata", "name"], '2:39 "a"', '2:31 "name"'],
    [["metadata", "labels", "app.kubernetes.io/name"], '2:81 "w\\"eb"', '2:55 "app.kubernetes.io/name"'],
    [["spec"], "3:11 {", '3:3 "spec"'],
    [["spec", "list"], '4:13 [ 1, {"x": true},', '4:5 "list"'],
    [["spec", "list", 0], "4:15 1", "4:15 1"],
    [["spec", "list", 1, "x"], "4:24 true", '4:19 "x"'],
    [["spec", "list", 2, 1], "5:19 33", "5:19 33"],
    [["spec", "list", 3], '5:24 "\\\\"', '5:24 "\\\\"'],
    [["spec", "empty"], "6:14 {}", '6:5 "empty"'],
    [["spec", "none"], "6:26 null", '6:18 "none"'],
    [["spec", "list", 9], '4:13 [ 1, {"x": true},', '4:5 "list"'],
    [["spec", "empty", "x"], "6:14 {}", '6:5 "empty"'],
    [["kind", "x"], '2:11 "Pod"', '2:3 "kind"'],
    [["kind", 0], '2:11 "Pod"', '2:3 "kind"'],
    [[], "1:1 {", "1:1 {"],
  ];
  it.each(cases)("%j", (path, value, key) => {
    expect([show(document.placeOf(path)), show(document.placeOfKey(path))]).toEqual([value, key]);
  });

  it("with CRLF they are the same, to the length", () => {
    const crlf = documentIn(text.replaceAll("\n", "\r\n"));
    for (const [path] of cases) {
      expect(crlf.placeOf(path)).toEqual(document.placeOf(path));
      expect(crlf.placeOfKey(path)).toEqual(document.placeOfKey(path));
    }
  });

  it("of a stream, lines are counted through all documents", () => {
    const second = documentIn('{"a": 1}\n{"b":\n  2}', 1);
    expect(second.placeOf(["b"])).toEqual({ file: "test.json", line: 3, column: 3, length: 1 });
    expect(second.placeOf([])).toEqual({ file: "test.json", line: 2, column: 1, length: 5 });
  });

  it("of equal keys, that of the one that counts", () => {
    const twice = documentIn('{"a": 1, "a": 2}');
    expect(twice.placeOf(["a"]).column).toBe(15);
    expect(twice.placeOfKey(["a"]).column).toBe(10);
  });

  it("a byte order mark takes no column", () => {
    const marked = parseManifest('\uFEFF{"a": 1}', "test.json").documents.at(0);
    expect(marked?.placeOfKey(["a"]).column).toBe(2);
  });
});

describe("laws", () => {
  const anyJson = fc
    .jsonValue({ maxDepth: 4 })
    .filter((value) => typeof value === "object" && value !== null);

  /** Every path there is in a value. */
  function pathsIn(value: Json, path: Path = []): readonly (readonly [Path, Json])[] {
    const inside = Array.isArray(value)
      ? value.flatMap((item: Json, i) => pathsIn(item, [...path, i]))
      : isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))
        : [];
    return [[path, value], ...inside];
  }

  it("the text at the place of any value is that value", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const written = JSON.stringify(value);
        const read = documentIn(written);
        for (const [path, part] of pathsIn(read.value)) {
          const { line, column, length } = read.placeOf(path);
          expect(line).toBe(1);
          expect(JSON.parse(written.slice(column - 1, column - 1 + length))).toEqual(part);
        }
      }),
    );
  });

  it("YAML reads the same from it", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        // A leading comment is not JSON, and is ignored in YAML.
        const { documents, diagnostics } = parseManifest(`# YAML\n${JSON.stringify(value)}`, "test.yaml");
        expect(diagnostics).toEqual([]);
        expect(documents.map((document) => document.value)).toEqual([JSON.parse(JSON.stringify(value))]);
      }),
    );
  });
});
