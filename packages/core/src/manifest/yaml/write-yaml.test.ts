import { expect, it } from "vitest";
import { parse } from "yaml";
import { writeYaml } from "./write-yaml.js";

it.each([
  ["a block of lines stays one", "first\nsecond", /^note: \|-\n {2}first\n {2}second\n$/],
  [
    "a line that is a workflow command is no line of the output",
    "x\n::error::y",
    /^note: "x\\n::error::y"\n$/,
  ],
  ["however long it is", `x\n::error::${"y".repeat(100)}`, /^note: "x\\n::error::y{100}"\n$/],
  ["nor is an indented one", "x\n  ##[error]y", /^note: "x\\n {2}##\[error\]y"\n$/],
])("%s", (_, note, expected) => {
  const text = writeYaml([{ value: { note }, comments: [] }]);
  expect(text).toMatch(expected);
  expect(parse(text)).toEqual({ note });
});
