import { describe, expect, it } from "vitest";
import type { Ruleset } from "./ruleset.js";
import { rulesetText } from "./text.js";

const ruleset: Ruleset = {
  counters: new Set(["r_2", "r_1"]),
  sets: new Map([
    [
      "m",
      {
        kind: "map",
        type: "ipv4_addr : verdict",
        flags: [],
        size: 4,
        elements: new Map([
          ["10.0.0.2", "accept"],
          ["10.0.0.1", "goto c"],
        ]),
      },
    ],
    ["l", { kind: "set", type: "ipv4_addr", flags: ["interval"], elements: new Map([["10.0.0.0/8", ""]]) }],
    ["n", { kind: "set", type: "ipv4_addr . ipv4_addr", flags: ["timeout"], elements: "learned" }],
  ]),
  chains: new Map([
    ["c", { rules: ["accept"] }],
    ["base", { hook: "type filter hook forward priority -10; policy accept;", rules: ["ip saddr vmap @m"] }],
  ]),
};

describe("a ruleset as text", () => {
  it("is in order, whatever order it was made in", () => {
    const turned: Ruleset = {
      counters: new Set([...ruleset.counters].toReversed()),
      sets: new Map([...ruleset.sets].toReversed()),
      chains: new Map([...ruleset.chains].toReversed()),
    };
    expect(rulesetText(turned, "t")).toBe(rulesetText(ruleset, "t"));
    expect(rulesetText(ruleset, "t").match(/^\t\w+ \w+/gm)).toEqual([
      "\tcounter r_1",
      "\tcounter r_2",
      "\tset l",
      "\tmap m",
      "\tset n",
      "\tchain base",
      "\tchain c",
    ]);
  });

  it("has elements one by one, with who they are", () => {
    const behind = (_: string, key: string) => (key === "10.0.0.1" ? "shop/cart" : undefined);
    expect(rulesetText(ruleset, "t", { above: () => [], behind })).toContain(
      "\t\telements = {\n\t\t\t10.0.0.1 : goto c, # shop/cart\n\t\t\t10.0.0.2 : accept\n\t\t}\n",
    );
  });

  it("no comment can end its line", () => {
    const above = () => ["x\n\t}\n}\nflush ruleset\r\u2028"];
    const text = rulesetText(ruleset, "t", { above, behind: () => "a\nb" });
    expect(text).not.toMatch(/^\s*flush/m);
    expect(text.split("\n")).toHaveLength(rulesetText(ruleset, "t").split("\n").length + 7);
  });
});
