import { describe, expect, test } from "vitest";
import { difference, emptyTable, nothingLeft } from "./difference.js";
import type { NamedSet, Ruleset } from "./ruleset.js";

const nothing: Ruleset = emptyTable.ruleset;
const chain = (...rules: readonly string[]) => ({ rules });
const base = (...rules: readonly string[]) => ({
  hook: "type filter hook forward priority -10; policy accept;",
  rules,
});
const verdicts = (elements: Record<string, string>): NamedSet => ({
  kind: "map",
  type: "classid : verdict",
  flags: [],
  elements: new Map(Object.entries(elements)),
});
const pods = (elements: Record<string, string>): NamedSet => ({
  ...verdicts(elements),
  type: "ipv4_addr : classid",
});
const ruleset = (part: { [K in keyof Ruleset]?: Record<string, unknown> }): Ruleset => ({
  chains: new Map(Object.entries(part.chains ?? {})) as Ruleset["chains"],
  sets: new Map(Object.entries(part.sets ?? {})) as Ruleset["sets"],
  counters: new Set(Object.keys(part.counters ?? {})),
});

describe("the transaction from one ruleset to another", () => {
  test.each<[title: string, before: Ruleset, wanted: Ruleset, lines: string[]]>([
    [
      "nothing changed",
      ruleset({ chains: { a: chain("accept") } }),
      ruleset({ chains: { a: chain("accept") } }),
      [],
    ],
    [
      "a chain that is new comes before the element that names it",
      ruleset({ sets: { tier: verdicts({}) } }),
      ruleset({ chains: { a: chain("accept") }, sets: { tier: verdicts({ "1:1": "goto a" }) } }),
      ["table inet t {", "\tchain a {", "\t\taccept", "\t}", "}", "add element inet t tier { 1:1 : goto a }"],
    ],
    [
      "a base chain is emptied and written again",
      ruleset({ chains: { egress: base("accept") } }),
      ruleset({ chains: { egress: base("drop") } }),
      [
        "flush chain inet t egress",
        "table inet t {",
        "\tchain egress {",
        "\t\ttype filter hook forward priority -10; policy accept;",
        "\t\tdrop",
        "\t}",
        "}",
      ],
    ],
    [
      "another value of a key is taken out and put in",
      ruleset({ sets: { ident4: pods({ "10.0.0.1": "1:1", "10.0.0.2": "1:2" }) } }),
      ruleset({ sets: { ident4: pods({ "10.0.0.1": "1:3", "10.0.0.2": "1:2" }) } }),
      ["delete element inet t ident4 { 10.0.0.1 : 1:1 }", "add element inet t ident4 { 10.0.0.1 : 1:3 }"],
    ],
    ["a chain that nothing names any more stays for now", ruleset({ chains: { a: chain() } }), nothing, []],
    [
      "a base chain stops at once",
      ruleset({ chains: { output: base("drop") } }),
      nothing,
      ["flush chain inet t output"],
    ],
    [
      "an identity that no rule is about any more loses its verdict at once",
      ruleset({ sets: { tier: verdicts({ "1:1": "drop" }) } }),
      ruleset({ sets: { tier: verdicts({}) } }),
      ["delete element inet t tier { 1:1 : drop }"],
    ],
  ])("%s", (_, before, wanted, lines) => {
    const change = difference("t", { ruleset: before, leftover: nothingLeft }, wanted);
    expect(change.kind === "in-place" ? change.transaction : change).toBe(
      lines.map((line) => `${line}\n`).join(""),
    );
  });

  test("what was left over goes with the next transaction, unless it is wanted again", () => {
    const both = ruleset({
      chains: { a: chain("jump b"), b: chain("accept") },
      counters: { r_a: true, r_b: true },
    });
    const first = difference("t", { ruleset: both, leftover: nothingLeft }, nothing);
    if (first.kind === "impossible") throw new Error(first.because);
    const again = ruleset({ chains: { b: chain("accept") }, counters: { r_b: true } });
    expect(difference("t", { ruleset: nothing, leftover: first.leftover }, again)).toEqual({
      kind: "in-place",
      transaction: "flush chain inet t a\ndelete chain inet t a\ndelete counter inet t r_a\n",
      leftover: nothingLeft,
    });
  });

  test.each<[before: Ruleset, wanted: Ruleset, because: string]>([
    [
      ruleset({ chains: { egress: base() } }),
      ruleset({
        chains: { egress: { ...base(), hook: "type filter hook input priority 0; policy accept;" } },
      }),
      "chain egress moves to another hook",
    ],
    [
      ruleset({ sets: { m: verdicts({}) } }),
      ruleset({ sets: { m: { ...verdicts({}), size: 8 } } }),
      "map m changes its declaration",
    ],
  ])("needs a new table where nftables cannot: %#", (before, wanted, because) => {
    const change = difference("t", { ruleset: before, leftover: nothingLeft }, wanted);
    expect(change).toEqual({ kind: "impossible", because });
  });
});
