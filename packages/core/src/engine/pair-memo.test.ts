import fc from "fast-check";
import { expect, it } from "vitest";
import { PairMemo } from "./pair-memo.js";

const largest = 0x3ffffff;

it("computes each pair once, whatever is asked in between", () => {
  const number = fc.oneof(fc.nat(3), fc.integer({ min: largest - 3, max: largest }));
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number), { minLength: 1 }), (asked) => {
      const computed: string[] = [];
      const memo = new PairMemo((first, second) => {
        computed.push(`${first} ${second}`);
        return first * 2 + second / 4;
      });
      for (const [first, second] of [...asked, ...asked.toReversed()])
        expect(memo.of(first, second)).toBe(first * 2 + second / 4);
      expect(computed).toHaveLength(new Set(asked.map((pair) => pair.join(" "))).size);
    }),
  );
});

it("does not confuse pairs that fall into one place of its table of recent ones", () => {
  const memo = new PairMemo((first, second) => first * 1000 + second);
  // Far more pairs than places.
  for (const _ of [1, 2])
    for (let first = 0; first < 300; first++)
      for (let second = 0; second < 300; second++) {
        const found = memo.of(first, second);
        if (found !== first * 1000 + second) expect.fail(`${first}, ${second}: ${found}`);
      }
});
