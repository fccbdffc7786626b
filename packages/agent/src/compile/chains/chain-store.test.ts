import { describe, expect, it } from "vitest";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { ChainStore } from "./chain-store.js";

const map = (...verdicts: readonly string[]): NamedSet => ({
  kind: "map",
  type: "classid : verdict",
  flags: [],
  elements: new Map(verdicts.map((verdict, i) => [`0:${i + 2}`, verdict])),
});

describe("chains by their contents", () => {
  it("have the same name for the same rules, in the same role", () => {
    const store = new ChainStore();
    expect(store.add("a", ["accept"])).toBe(new ChainStore().add("a", ["accept"]));
    expect(store.add("a", ["accept"])).not.toBe(store.add("a", ["drop"]));
    expect(store.add("a", ["accept"])).not.toBe(store.add("b", ["accept"]));
  });

  it("are reached through rules and through maps, and no others are", () => {
    const store = new ChainStore();
    const last = store.add("last", ["accept"]);
    const looked = store.add("looked", [`tcp dport 80 goto ${last}`]);
    const first = store.add("first", ["meta priority vmap @m", "drop"]);
    store.add("idle", ["accept"]);
    const maps = new Map([["m", map(`goto ${looked}`, "return")]]);
    const reached = store.reachedFrom([map(`goto ${first}`, "accept")], (name) => maps.get(name));
    expect(new Set(reached.chains.keys())).toEqual(new Set([first, looked, last]));
    expect([...reached.maps.keys()]).toEqual(["m"]);
  });
});
