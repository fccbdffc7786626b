import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Json } from "./json.js";
import { toYaml } from "./yaml.js";

test.each<[string, Json, string]>([
  ["an object", { a: "x", b: { c: 1 } }, "a: x\nb:\n  c: 1\n"],
  ["a list, not indented", { a: ["x", "z"] }, "a:\n- x\n- z\n"],
  ["objects in a list", [{ a: 1, b: { c: 2 } }], "- a: 1\n  b:\n    c: 2\n"],
  ["a list in a list", [["x", ["z"]]], "- - x\n  - - z\n"],
  ["what is empty", { a: {}, b: [], c: "", d: null, e: [{}] }, 'a: {}\nb: []\nc: ""\nd: null\ne:\n- {}\n'],
  [
    "text that looks like something else",
    ["true", "No", "~", "1", "1e3", "0x1f", "2026-01-02", "-", "- a", "a: b", "#", "*", "{}", "a #b", "|"],
    '- "true"\n- "No"\n- "~"\n- "1"\n- "1e3"\n- "0x1f"\n- "2026-01-02"\n- "-"\n- "- a"\n- "a: b"\n- "#"\n- "*"\n- "{}"\n- "a #b"\n- "|"\n',
  ],
  [
    "addresses and quantities",
    ["10.0.0.1", "10.0.0.0/8", "500m", "4f3b-x"],
    "- 10.0.0.1\n- 10.0.0.0/8\n- 500m\n- 4f3b-x\n",
  ],
  ["times", ["2026-01-02T03:04:05Z", "12:30"], '- "2026-01-02T03:04:05Z"\n- "12:30"\n'],
  [
    "plain text with colons",
    ["a:b", "nginx:1.2", "containerd://ab"],
    "- a:b\n- nginx:1.2\n- containerd://ab\n",
  ],
])("%s", (_, value, text) => {
  expect(toYaml(value)).toBe(text);
  expect(parse(text, { version: "1.1" })).toEqual(value);
});
