import { describe, expect, test } from "vitest";
import { Random } from "./random.js";

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.bits());

describe("a seed", () => {
  test("repeats its sequence", () => {
    expect(draw(new Random(7), 5)).toEqual(draw(new Random(7), 5));
    expect(draw(new Random(7), 5)).not.toEqual(draw(new Random(8), 5));
  });

  test("gives a fork of its own to every purpose, whatever was drawn before", () => {
    const used = new Random(7);
    draw(used, 100);
    expect(draw(used.fork("pods"), 5)).toEqual(draw(new Random(7).fork("pods"), 5));
    expect(draw(used.fork("pods"), 5)).not.toEqual(draw(used.fork("nodes"), 5));
  });
});

describe("what is drawn", () => {
  const thousand = <T>(one: (random: Random) => T) => {
    const random = new Random(3);
    return Array.from({ length: 1000 }, () => one(random));
  };

  test("reaches the first and the last number, and stays between them", () => {
    const found = new Set(thousand((random) => random.between(3, 6)));
    expect([...found].toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6]);
  });

  test("is even", () => {
    const heads = thousand((random) => random.chance(0.5)).filter(Boolean).length;
    expect(heads).toBeGreaterThan(430);
    expect(heads).toBeLessThan(570);
  });

  test("`some` gives as many as there are, different and in order", () => {
    const found = thousand((random) => random.some(["a", "b", "c", "d"], 2).join(""));
    expect([...new Set(found)].toSorted()).toEqual(["ab", "ac", "ad", "bc", "bd", "cd"]);
    expect(new Random(1).some(["a", "b"], 5)).toEqual(["a", "b"]);
  });

  test("nothing cannot be picked", () => {
    expect(() => new Random(1).pick([])).toThrow("nothing to pick");
  });
});
