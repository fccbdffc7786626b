import { describe, expect, it } from "vitest";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { ChainStore } from "./chain-store.js";

const map = (...verdicts: readonly string[]): NamedSet => ({
  kind: "map",
  type: "classid : verdict",
  flags: [],
  elements: new Map(verdicts.map((verdict, i) => [`0:${i + 2}`, verdict])),
});

describe("chains by what they hold", () => {
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
    const starts = store.startsOf([map(`goto ${first}`, "accept")]);
    const reached = store.reachedFrom(starts, (name) => maps.get(name));
    expect(new Set(reached.chains.keys())).toEqual(new Set([first, looked, last]));
    expect([...reached.maps.keys()]).toEqual(["m"]);
  });

  it("are forgotten when too many are not reached, and those who remember them are told", () => {
    const store = new ChainStore();
    let told = 0;
    store.whenForgetting(() => told++);
    const used = store.add("used", ["accept"]);
    const idle = store.add("idle", ["drop"]);
    store.reachedFrom(new Set([used]), () => undefined);
    expect(told).toBe(0);
    for (let port = 1; port <= 1100; port++) store.add("idle", [`tcp dport ${port} accept`]);
    store.reachedFrom(new Set([used]), () => undefined);
    expect(told).toBe(1);
    const kept = store.reachedFrom(new Set([used, idle]), () => undefined);
    expect([...kept.chains.keys()]).toEqual([used]);
  });
});
