import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bigFile, bigFileSize, readPaths } from "@tierwall/kube";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadState, sourceText } from "../input/state.js";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "tierwall-big-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const pod = (name: string, label: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: label }, annotations: { note: "ä€😀".repeat(2000) } },
});

describe("a file in chunks", () => {
  it("is what was written, wherever characters are cut", () => {
    const text = `x${"ä€😀\n".repeat(700_000)}`;
    const path = written("text", text);
    const read: number[] = [];
    const { chunks } = bigFile(path, "text", 1, (_file, bytes) => read.push(bytes));
    for (const _ of [1, 2]) {
      const copies = Array.from(chunks(), (chunk) => new Uint8Array(chunk));
      expect(Buffer.concat(copies).toString() === text).toBe(true);
    }
    expect(read.at(-1)).toBe(Buffer.byteLength(text));
    expect(read.length).toBeGreaterThan(2);
  });

  it("gives the lines that are asked for", () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1} ä`);
    const { lines: between } = bigFile(written("lines", lines.join("\r\n")), "lines", 1, () => undefined);
    for (const [first, last] of [
      [1, 1],
      [1, 3],
      [998, 1002],
      [1000, 1001],
      [1001, 1003],
      [4998, 5000],
    ] as const)
      expect(between?.(first, last)).toEqual(lines.slice(first - 1, last));
  });

  it("has no lines to show where it is all on one line", () => {
    const path = written("line", `${"x".repeat(3_000_000)}\n`);
    expect(bigFile(path, "line", 1, () => undefined).lines?.(1, 1)).toBeUndefined();
  });
});

describe("a large snapshot", () => {
  const pods = Array.from({ length: 1500 }, (_, i) => pod(`pod-${i}`, i === 1400 ? "not a label!" : "web"));
  const list = { apiVersion: "v1", items: pods, kind: "List" };

  it("is read in chunks, and mistakes in it are shown with their lines", async () => {
    const text = JSON.stringify(list, null, 4);
    expect(Buffer.byteLength(text)).toBeGreaterThan(bigFileSize);
    const path = written("pods.json", text);
    expect(readPaths([path], false).sources.map((source) => "chunks" in source)).toEqual([true]);

    const { state, sources, diagnostics } = await loadState({ filename: [path] });
    expect(state.cluster.pods.size).toBe(1500);
    expect(diagnostics.map(({ code }) => code)).toEqual(["TW1302", "TW3001"]);
    const { line, column } = diagnostics[0]!.place!;
    const lines = sourceText(sources)(path);
    if (typeof lines !== "function") throw new Error("the text is held");
    expect(lines(line, line)).toEqual(['                    "app": "not a label!"']);
    expect(column).toBe(28);
  });
});
