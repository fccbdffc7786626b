import { Argument, Option } from "commander";
import { describe, expect, it } from "vitest";
import { isRepeatable, isSwitch, valueKindOf } from "./option-value.js";

describe("what an option takes", () => {
  it.each([
    ["-f, --filename <path>", "path"],
    ["--dns <file>", "path"],
    ["--from <endpoint>", "endpoint"],
    ["--to <end>", "endpoint"],
    ["-n, --namespace <name>", "namespace"],
    ["--in <namespace>", "namespace"],
    ["--pod-cidr <cidr>", "other"],
    ["--git [revision]", "other"],
    ["--recursive", "other"],
  ])("%s: %s", (flags, kind) => expect(valueKindOf(new Option(flags))).toBe(kind));
});

describe("what an argument is", () => {
  it.each([
    ["<path...>", "", "path"],
    ["<endpoint>", "NAMESPACE/POD", "endpoint"],
    ["<namespace/pod>", "", "endpoint"],
    ["[old]", "a file or a folder", "path"],
    ["<shell>", "the shell", "other"],
  ])("%s, %s: %s", (name, description, kind) =>
    expect(valueKindOf(new Argument(name, description))).toBe(kind),
  );
});

describe("how often an option can be given, and with what", () => {
  it.each([
    [new Option("-f <path>", "a file (repeatable)"), { repeatable: true, switch: false }],
    [new Option("-f <path...>", "files"), { repeatable: true, switch: false }],
    [new Option("--dns <file>", "names"), { repeatable: false, switch: false }],
    [new Option("--fix", "fix"), { repeatable: false, switch: true }],
    [new Option("--no-config", "none"), { repeatable: false, switch: true }],
  ])("%j", (option, expected) =>
    expect({ repeatable: isRepeatable(option), switch: isSwitch(option) }).toEqual(expected),
  );
});
