import { expect, test } from "vitest";
import { elementsIn } from "../kernel/learned.js";

test("elements have their key and the time they have left", () => {
  const element = (val: unknown) => ({ elem: { val, timeout: 300, expires: 299 } });
  const set = { family: "inet", name: "n4", elem: [element({ concat: ["10.1.0.2", "192.0.2.1"] })] };
  expect(elementsIn([{ metainfo: {} }, { set }])).toEqual([
    { set: "n4", key: "10.1.0.2 . 192.0.2.1", milliseconds: 299_000 },
  ]);
});

test("an empty set has none", () => {
  expect(elementsIn([{ set: { name: "n4" } }])).toEqual([]);
});
