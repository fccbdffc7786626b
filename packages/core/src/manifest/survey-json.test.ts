import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut } from "../testing/cut.js";
import type { Json } from "./document.js";
import { type Excerpt, excerptOf } from "./excerpt.js";
import { readObjects } from "./read.js";
import { surveyJson } from "./survey-json.js";
import { headLength, type SurveyedChunk } from "./survey-notes.js";

const excerpt: Excerpt = {
  outline: {
    apiVersion: "all",
    kind: "all",
    metadata: { labels: "all", name: "all" },
    status: { ips: { ip: "all" } },
  },
  suffices: (apiVersion, kind) => apiVersion === "v1" && kind === "Pod",
};

const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { annotations: { a: `b ${name.length}` }, labels: { app: "web" }, name },
  status: { ips: [{ ip: "10.0.0.1", zone: 1 }], phase: "Running" },
  ...more,
});
const kubectlList = (items: readonly unknown[]) => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});

/** All that is told of a text: objects and where their parts stand, and mistakes. In the same pieces, with notes or without. */
function found(text: string, size: number, surveyed: boolean): readonly unknown[] {
  const chunks = surveyOf(text, size);
  const all: unknown[] = [];
  const source = {
    file: "test.json",
    chunks: () => chunks.map(({ bytes }) => bytes),
    ...(surveyed ? { surveyed: () => chunks } : {}),
  };
  readObjects(source, {
    // A list that is short enough is read as a whole, its items with all that they hold.
    object: ({ apiVersion, kind, value, line, document, path }) => {
      const read = kind === "Pod" ? excerptOf(value, excerpt.outline) : value;
      const place = document.placeOf(path);
      expect(line ?? place.line).toBe(place.line);
      const parts = [
        document.placeOf([...path, "metadata", "name"]),
        document.placeOfKey([...path, "status"]),
      ];
      all.push([{ apiVersion, kind, read, path }, place, ...parts]);
    },
    report: ({ code, message, place }) => all.push([code, message, place]),
    excerpt,
  });
  return all;
}

const copyOf = ({ bytes, notes, texts }: SurveyedChunk): SurveyedChunk => ({
  bytes: bytes.slice(),
  notes: notes.slice(),
  texts: texts.slice(),
});

const surveyOf = (text: string, size: number): readonly SurveyedChunk[] =>
  Array.from(surveyJson(cut(text, size), excerpt.outline), copyOf);

/** How many objects there are notes of. */
function notedIn(chunks: readonly SurveyedChunk[]): number {
  let count = 0;
  for (const { notes } of chunks)
    for (let at = 0; at < notes.length; at += headLength + Math.max(0, notes[at + headLength - 1]!)) count++;
  return count;
}

const pods = ["a", "bcd", "e", "efg-1", "h"].map((name) => pod(name));
const indented = JSON.stringify(kubectlList(pods), null, 4);
const oneLine = JSON.stringify(kubectlList(pods));

const texts: readonly (readonly [what: string, text: string, noted: number])[] = [
  ["a list as kubectl writes it", indented, 5],
  ["a list on one line", oneLine, 5],
  ["with CRLF", indented.replaceAll("\n", "\r\n"), 5],
  ["with a byte order mark", `\uFEFF${indented}`, 5],
  ["with its kind first", JSON.stringify({ apiVersion: "v1", kind: "PodList", items: pods }), 5],
  [
    "items that wait for the kind of the list",
    '{"items": [{"metadata": {"name": "a"}}], "kind": "PodList"}',
    1,
  ],
  ["characters of many bytes", oneLine.replaceAll("bcd", "ä€😀").replaceAll("web", "😀"), 5],
  ["escapes in texts", oneLine.replace("bcd", '\\"},{\\"kind\\":[\\u0041'), 5],
  ["an escape in a key", oneLine.replace('"status"', '"st\\u0061tus"'), 5],
  ["keys that come twice", oneLine.replace('"phase"', '"ips":[],"phase"'), 5],
  ["labels that come twice", oneLine.replace('"labels"', '"labels":{"app":"db"},"labels"'), 5],
  ["what looks like a list in a text", JSON.stringify(kubectlList([pod('"items": [ {'), ...pods])), 6],
  ["a list in the list", JSON.stringify(kubectlList([kubectlList(pods), pod("z")])), 2],
  [
    "other kinds",
    JSON.stringify(kubectlList([pod("a"), { kind: "Service", spec: { a: [1] } }, pod("b")])),
    3,
  ],
  ["an item that is no object", JSON.stringify(kubectlList([pod("a"), 1, pod("b")])), 1],
  ["no items", JSON.stringify(kubectlList([])), 0],
  ["no list", JSON.stringify(pod("a")), 0],
  ["a list behind an object", `${JSON.stringify(pod("a"))}\n${indented}`, 0],
  ["an object behind a list", `${indented}\n${JSON.stringify(pod("z"))}`, 5],
  ["nothing", "", 0],
  ["YAML", "kind: Pod\nmetadata: {name: a}\n", 0],
  ["an item that is broken", oneLine.replace('"e"', '"e'), 2],
  ["a comma that is missing", oneLine.replace("},{", "}{"), 1],
  ["a comma too many", oneLine.replace('}],"kind"', '},],"kind"'), 5],
  ["an end that comes too soon", indented.slice(0, -700), 3],
  ["an end right behind a comma", oneLine.slice(0, oneLine.indexOf("},{") + 2), 1],
  ["a word that is none", oneLine.replace('"Running"', "Running"), 0],
];

describe("what was surveyed before is read as if nobody had", () => {
  it.each(texts)("%s", (_what, text) => {
    for (const size of [1, 7, 40, 150, 700, 10_000])
      expect(found(text, size, true)).toEqual(found(text, size, false));
  });

  it.each(texts)("and all bytes are handed on: %s", (_what, text) => {
    for (const size of [1, 40, 700, 10_000]) {
      const bytes = surveyOf(text, size).flatMap((chunk) => [...chunk.bytes]);
      expect(bytes).toEqual([...new TextEncoder().encode(text)]);
    }
  });

  it.each(texts)("and items of a long list are noted: %s", (_what, text, noted) => {
    for (const size of [40, 700, 10_000]) expect(notedIn(surveyOf(text, size))).toBe(noted);
  });

  it("whatever is wrong with it and wherever it is cut", () => {
    const edits = fc.array(
      fc.tuple(
        fc.nat(indented.length),
        fc.nat(3),
        fc.constantFrom("", '"', "{", "}", "]", ",", "\\", "1", "ä"),
      ),
      { minLength: 1, maxLength: 2 },
    );
    const text = fc
      .tuple(fc.constantFrom(indented, oneLine), edits)
      .map(([whole, all]) =>
        all.reduce((now, [at, gone, put]) => now.slice(0, at) + put + now.slice(at + gone), whole),
      );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3000 }), (edited, size) => {
        expect(found(edited, size, true)).toEqual(found(edited, size, false));
      }),
      { numRuns: 500 },
    );
  });
});

it("has one value for parts that are the same bytes", () => {
  const labels: Json[] = [];
  readObjects(
    {
      file: "test.json",
      chunks: () => [],
      surveyed: () => surveyJson(cut(indented, 10_000), excerpt.outline),
    },
    {
      object: ({ value }) => labels.push((value.metadata as { labels: Json }).labels),
      report: () => undefined,
      excerpt,
    },
  );
  expect(labels).toHaveLength(5);
  expect(new Set(labels).size).toBe(1);
});

it("is asked for by those only who read excerpts", () => {
  const surveyed = () => {
    throw new Error("nobody asked");
  };
  const names: Json[] = [];
  readObjects(
    { file: "test.json", chunks: () => cut(indented, 100), surveyed },
    {
      object: ({ value }) => names.push((value.metadata as { name: Json }).name),
      report: () => undefined,
    },
  );
  expect(names).toEqual(["a", "bcd", "e", "efg-1", "h"]);
});
