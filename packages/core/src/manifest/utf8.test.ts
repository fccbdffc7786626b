import { expect, it } from "vitest";
import { cut } from "../../testing/transform/cut.js";
import { decodedChunks, decodeUtf8 } from "./utf8.js";

it.each([1, 2, 3, 4, 5, 6, 7, 100])("texts cut every %d bytes are whole again", (size) => {
  const text = "a\uFEFFä€😀\n€€ää😀😀z\u0000é";
  const decoded = [...decodedChunks(cut(text, size))];
  expect(decoded.join("")).toBe(text);
});

it("invalid UTF-8 is replaced, wherever it is split", () => {
  const bytes = Uint8Array.from([0x61, 0xff, 0x80, 0x80, 0x80, 0x80, 0x62, 0xc3, 0x62, 0xf0, 0x9f]);
  for (let at = 0; at <= bytes.length; at++) {
    const decoded = [...decodedChunks([bytes.subarray(0, at), bytes.subarray(at)])];
    expect(decoded.join("")).toBe(decodeUtf8(bytes));
  }
});
