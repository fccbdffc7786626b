import fc from "fast-check";
import { expect, it } from "vitest";
import { PairMemo } from "./pair-memo.js";

const largest = 0x3ffffff;

it("computes each pair once, whatever is asked in between", () => {
  const number = fc.constantFrom(0, 1, 2, 1023, 1024, 1025, 65535, 65536, largest - 1, largest);
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number), { minLength: 1 }), (asked) => {
      const computed: string[] = [];
      const memo = new PairMemo((first, second) => {
        computed.push(`${first} ${second}`);
        return first * 16 + (second % 16);
      });
      for (const [first, second] of [...asked, ...asked.toReversed()])
        expect(memo.of(first, second)).toBe(first * 16 + (second % 16));
      expect(computed).toHaveLength(new Set(asked.map((pair) => pair.join(" "))).size);
    }),
  );
});

it("does not confuse pairs that fall into one place of its table of recent ones, nor forgets those it drops", () => {
  const many = 100_000;
  let computed = 0;
  const memo = new PairMemo((first, second) => {
    computed++;
    return first * many + second;
  });
  for (const _ of ["once", "again"])
    for (let first = 0; first < 2; first++)
      for (let second = 0; second < many; second++) {
        const found = memo.of(first, second);
        if (found !== first * many + second) expect.fail(`${first}, ${second}: ${found}`);
      }
  expect(computed).toBe(2 * many);
});
