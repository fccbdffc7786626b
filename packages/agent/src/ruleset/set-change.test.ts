import { expect, test } from "vitest";
import { changesText, type SetChange } from "./set-change.js";

const renew = (key: string, milliseconds: number): SetChange => ({
  kind: "renew",
  set: "names4",
  element: { key, milliseconds },
});

test("elements are removed and added again, so that every kernel sets the new timeout", () => {
  expect(changesText([renew("10.0.0.1 . 192.0.2.1", 1500), renew("10.0.0.1 . 192.0.2.2", 2500)], "t")).toBe(
    `add element inet t names4 { 10.0.0.1 . 192.0.2.1, 10.0.0.1 . 192.0.2.2 }
delete element inet t names4 { 10.0.0.1 . 192.0.2.1, 10.0.0.1 . 192.0.2.2 }
add element inet t names4 { 10.0.0.1 . 192.0.2.1 timeout 1500ms, 10.0.0.1 . 192.0.2.2 timeout 2500ms }
`,
  );
});

test("of two lives of one element the longer counts", () => {
  const text = changesText([renew("k", 2000), renew("k", 3000), renew("k", 1000)], "t");
  expect(text).toBe(
    "add element inet t names4 { k }\ndelete element inet t names4 { k }\nadd element inet t names4 { k timeout 3000ms }\n",
  );
});

test("a map is replaced as a whole, before anything is added to it", () => {
  const replace: SetChange = {
    kind: "replace",
    set: "m",
    holds: "map",
    elements: [{ key: "k", value: "v", milliseconds: 10_000 }],
  };
  const added: SetChange = { kind: "renew", set: "m", element: { key: "l", value: "w", milliseconds: 500 } };
  expect(changesText([added, replace], "t")).toBe(`flush map inet t m
add element inet t m { k timeout 10000ms : v }
add element inet t m { l : w }
delete element inet t m { l : w }
add element inet t m { l timeout 500ms : w }
`);
});

test("replaced by nothing, a set is empty", () => {
  expect(changesText([{ kind: "replace", set: "s", holds: "set", elements: [] }], "t")).toBe(
    "flush set inet t s\n",
  );
});

test("an element is forgotten whether or not it is still there", () => {
  expect(changesText([{ kind: "forget", set: "s", key: "k" }], "t")).toBe(
    "add element inet t s { k }\ndelete element inet t s { k }\n",
  );
});
