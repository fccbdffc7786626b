import { describe, expect, it } from "vitest";
import { generationBits, hex, markField, setMark } from "./connection-mark.js";

describe("our part of the connection mark", () => {
  it.each([
    [0xffff0000, { byName: 0x00020000, denied: 0x00010000, judged: 0xfffd0000, generations: 16383 }],
    [0x00000ff0, { byName: 0x00000020, denied: 0x00000010, judged: 0x00000fd0, generations: 63 }],
    [0xff000000, { byName: 0x02000000, denied: 0x01000000, judged: 0xfd000000, generations: 63 }],
    [0xffffffff, { byName: 0x00000002, denied: 0x00000001, judged: 0xfffffffd, generations: 0x3fffffff }],
  ])("in %i", (mask, field) => {
    expect(markField(mask)).toEqual(field);
  });

  it("holds every generation, the last one too", () => {
    for (const mask of [0xffff0000, 0x00000ff0, 0xff000000]) {
      const { generations, judged, denied } = markField(mask);
      const last = generationBits(mask, generations);
      expect(hex(last | denied)).toBe(hex(judged));
      expect(generationBits(mask, 1)).toBeGreaterThan(denied);
    }
  });

  it("is set in nft's words: what is set is not cleared first", () => {
    expect(setMark(0x0fd00000, 0x00200000)).toBe("ct mark set ct mark & 0xf02fffff | 0x00200000");
  });
});
