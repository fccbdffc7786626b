import { describe, expect, test } from "vitest";
import { readArguments } from "./arguments.js";

const rows = ["1k/1k", "10k/1k"];

describe("understood", () => {
  test.each([
    ["nothing", [], { output: "table", seed: 1 }],
    ["one row", ["--only", "10k/1k"], { only: "10k/1k", output: "table", seed: 1 }],
    ["one row, glued", ["--only=1k/1k"], { only: "1k/1k", output: "table", seed: 1 }],
    ["for machines", ["-o", "json"], { output: "json", seed: 1 }],
    ["for machines, glued", ["-ojson"], { output: "json", seed: 1 }],
    ["another seed", ["--seed", "42"], { output: "table", seed: 42 }],
  ])("%s", (_, args, options) => {
    expect(readArguments(args, rows)).toEqual({ kind: "run", options });
  });

  test.each([["-h"], ["--help"]])("%s asks for help", (flag) => {
    expect(readArguments([flag], rows)).toEqual({ kind: "help" });
  });
});

describe("mistakes", () => {
  test.each([
    ["an unknown option", ["--onyl", "1k/1k"], "there is no option `--onyl`"],
    ["an unknown row", ["--only", "7k"], "there is no row `7k`; there are: 1k/1k, 10k/1k"],
    ["no row", ["--only"], "`--only` needs a value"],
    ["another option in its place", ["--only", "-o", "json"], "`--only` needs a value"],
    ["an empty row", ["--only="], "`--only` needs a value"],
    ["an unknown way to print", ["-o", "xml"], "`xml` is no way to print; there are: table, json"],
    ["a seed that is no number", ["--seed", "x"], "`x` is not a seed"],
    ["a row without its option", ["10k/1k"], "`10k/1k` is not expected here"],
  ])("%s", (_, args, message) => {
    const read = readArguments(args, rows);
    expect(read).toMatchObject({ kind: "mistake" });
    expect(read.kind === "mistake" && read.message).toContain(message);
  });
});
