import { describe, expect, it } from "vitest";
import type { End } from "./end-store.js";
import { formatIdentity, Identities, settle } from "./identity-maps.js";

const end = (key: string): End => ({
  key,
  kind: "pod",
  family: 4,
  who: key,
  blocks: "",
  members: 1,
  sample: { kind: "external", address: { family: 4, value: 0n } },
  alternatives: [],
});

describe("identities", () => {
  it("depend on the properties of an end, not on other ends", () => {
    const [a, b] = [end("a"), end("b")];
    expect(new Identities().of(new Set([a, b])).get(b)).toBe(new Identities().of(new Set([b])).get(b));
  });

  it("have the form in which nft prints them", () => {
    expect([0x1234abcd, 0x00010000, 0x2].map(formatIdentity)).toEqual(["1234:abcd", "1:0", "0:2"]);
  });

  it("if two have the same hash, the first by name keeps it, in any order of the input", () => {
    const [a, b, c] = [end("a"), end("b"), end("c")];
    const one = settle(new Map([[7, [a, b, c]]]));
    const other = settle(new Map([[7, [c, b, a]]]));
    expect(one.get(a)).toBe("0:7");
    expect(new Set(one.values()).size).toBe(3);
    for (const each of [a, b, c]) expect(other.get(each)).toBe(one.get(each));
  });

  it("an end with a taken number does not displace another one", () => {
    const [a, b, c] = [end("a"), end("b"), end("c")];
    const moved = settle(new Map([[7, [a, b]]])).get(b)!;
    const [high, low] = moved.split(":").map((part) => Number.parseInt(part, 16));
    const taken = (high! << 16) | low!;
    const texts = settle(
      new Map([
        [7, [a, b]],
        [taken >>> 0, [c]],
      ]),
    );
    expect(texts.get(c)).toBe(moved);
    expect(texts.get(b)).not.toBe(moved);
  });
});
