import type { SurveyedChunk } from "@tierwall/core";
import { describe, expect, it } from "vitest";
import { ChunkRing } from "./chunk-ring.js";

const chunk = (size: number, notes: readonly number[], text: string): SurveyedChunk => ({
  bytes: Uint8Array.from({ length: size }, (_, i) => (i * 7 + size) % 251),
  notes: Int32Array.from(notes),
  texts: new TextEncoder().encode(text),
});

const copyOf = ({ bytes, notes, texts }: SurveyedChunk) => ({
  bytes: bytes.slice(),
  notes: notes.slice(),
  texts: texts.slice(),
});

/** Both ends in one thread: never more is put than there is room for. */
function pair() {
  const into = new ChunkRing();
  return { into, from: new ChunkRing(into.memory).taken(0) };
}

describe("a ring of chunks", () => {
  it("hands over what was put, in order, again and again", () => {
    const { into, from } = pair();
    for (let i = 1; i <= 20; i++) {
      const put = chunk(10 * i, [i, -1, 2 ** 31 - 1], `["text ${i}"]`);
      expect(into.put(put)).toBe(true);
      expect(copyOf(from.next().value as SurveyedChunk)).toEqual(put);
    }
    into.close("end");
    expect(from.next()).toEqual({ done: true, value: "end" });
  });

  it("hands over what was put before the end", () => {
    const { into, from } = pair();
    into.put(chunk(1, [], ""));
    into.put(chunk(2, [5], ""));
    into.close("broken");
    const sizes: number[] = [];
    let next = from.next();
    for (; next.done !== true; next = from.next()) sizes.push(next.value.bytes.length);
    expect([sizes, next.value]).toEqual([[1, 2], "broken"]);
  });

  it.each<[string, SurveyedChunk]>([
    ["many bytes", chunk(9_000_000, [1, 2], "[1]")],
    [
      "many notes",
      chunk(
        10,
        Array.from({ length: 300_000 }, () => 1),
        "[1]",
      ),
    ],
    ["long texts", chunk(10, [1, 2], `["${"x".repeat(3_000_000)}"]`)],
  ])("hands over %s in pieces, without notes", (_what, large) => {
    const { into, from } = pair();
    into.put(large);
    into.close("end");
    const pieces = Array.from(from, copyOf);
    expect(pieces.every(({ notes, texts }) => notes.length === 0 && texts.length === 0)).toBe(true);
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(large.bytes)).toBe(true);
  });

  it("is broken where nothing comes", () => {
    const { from } = pair();
    expect(from.next()).toEqual({ done: true, value: "broken" });
  });

  it("takes nothing more once nobody reads", () => {
    const { into, from } = pair();
    into.put(chunk(1, [], ""));
    from.next();
    from.return("end");
    expect(into.put(chunk(1, [], ""))).toBe(false);
  });
});
