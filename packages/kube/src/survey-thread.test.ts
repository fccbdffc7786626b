import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outline, readState } from "@tierwall/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileBlocks, fromFile } from "./file-blocks.js";
import { isWorthSurveying, surveyedChunks } from "./survey-thread.js";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "tierwall-survey-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const built = (name: string) => new URL(`../dist/${name}.js`, import.meta.url);
const outline = { kind: "all", metadata: { name: "all" } } as const;
const items = Array.from({ length: 20_000 }, (_, i) => ({
  kind: "Pod",
  metadata: { name: `pod-${i} ä` },
  i,
}));
const text = JSON.stringify({ apiVersion: "v1", items, kind: "List" }, null, 4);

/** A thread that does this, with a ring and `put`, which puts the beginning of the file. */
const thread = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { readFileSync } from "node:fs";
      import { workerData } from "node:worker_threads";
      import { ChunkRing } from "${built("chunk-ring").href}";
      const ring = new ChunkRing(workerData.memory);
      const put = (from, to) => ring.put({ bytes: readFileSync(workerData.path).subarray(from, to),
        notes: new Int32Array(0), texts: new Uint8Array(0) });
      ${code}`)}`,
  );

function readWith(entry: URL, patience = 20_000): { readonly isSame: boolean; readonly noted: number } {
  const chunks: Uint8Array[] = [];
  let noted = 0;
  const path = written("list.json", text);
  for (const { bytes, notes } of surveyedChunks(path, outline, patience, entry)) {
    chunks.push(new Uint8Array(bytes));
    if (notes.length > 0) noted++;
  }
  return { isSame: Buffer.concat(chunks).toString() === text, noted };
}

describe("a thread that reads ahead", () => {
  it("hands on the file with notes", () => {
    const { isSame, noted } = readWith(built("survey-worker"));
    expect(isSame).toBe(true);
    expect(noted).toBeGreaterThan(1);
  });

  it.each<[string, string, number]>([
    ["does not begin", "for (;;);", 300],
    ["fails at once", 'ring.close("broken");', 20_000],
    ["fails in the middle", 'put(0, 100_001); put(100_001, 300_000); ring.close("broken");', 20_000],
    ["dies in the middle", "put(0, 100_001); process.exit(1);", 300],
    ["throws", "put(0, 77); throw new Error();", 300],
  ])("is done without where it %s", (_what, code, patience) =>
    expect(readWith(thread(code), patience)).toEqual({ isSame: true, noted: 0 }),
  );

  it("is left alone by who has read enough", () => {
    const chunks = surveyedChunks(written("list.json", text), outline, 20_000, built("survey-worker"));
    expect(chunks.next().done).toBe(false);
    expect(chunks.return()).toEqual({ done: true, value: undefined });
  });
});

it.each<[string, number, boolean]>([
  ['{"kind": "List"', 2, true],
  ['\uFEFF \n{\n  "kind"', 2, true],
  ['{"kind": "List"', 1, false],
  ["kind: List", 2, false],
  ["{kind: List}", 2, false],
  ["", 2, false],
])("a file that begins with %j, on %d processors: %s", (beginning, processors, expected) =>
  expect(isWorthSurveying(written("some", beginning), processors, built("survey-worker"))).toBe(expected),
);

it("a thread that was not shipped is not waited for", () =>
  expect(isWorthSurveying(written("some", text), 2, built("nobody"))).toBe(false));

it("a snapshot means the same, with the thread and without", () => {
  const pods = Array.from({ length: 3000 }, (_, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      annotations: { note: "é".repeat(500) },
      labels: { app: i === 2500 ? "not a label!" : `web-${i % 7}` },
      name: `pod-${i}`,
      namespace: "shop",
      uid: `${i}`,
    },
    status: { phase: "Running", podIP: `10.0.${i >> 8}.${i & 255}` },
  }));
  const file = written("pods.json", JSON.stringify({ apiVersion: "v1", items: pods, kind: "List" }, null, 2));
  const chunks = () => fromFile(file, fileBlocks);
  let noted = 0;
  const surveyed = function* (its: Outline) {
    for (const chunk of surveyedChunks(file, its, 20_000, built("survey-worker"))) {
      if (chunk.notes.length > 0) noted++;
      yield chunk;
    }
  };
  const [alone, together] = [readState([{ file, chunks }]), readState([{ file, chunks, surveyed }])];
  expect(noted).toBeGreaterThan(1);
  expect(together.cluster.pods.size).toBe(3000);
  expect(together.cluster.pods).toEqual(alone.cluster.pods);
  expect(together.diagnostics).toEqual(alone.diagnostics);
  expect(alone.diagnostics.map(({ code }) => code)).toContain("TW1302");
});
