import { expect, test } from "vitest";
import type { NameSet } from "../ruleset/program.js";
import { defaultLifetimes, LearnedNames, type Resolution } from "./learned-names.js";
import type { SetChange } from "../ruleset/set-change.js";

const pods = ["10.0.0.1", "fd00::1"];

function nameSet(id: string, text: string, own: readonly string[] = pods): NameSet {
  return {
    patterns: [{ kind: "exact", text }],
    fresh: { 4: `${id}_fresh4`, 6: `${id}_fresh6` },
    kept: { 4: `${id}_kept4`, 6: `${id}_kept6` },
    pods: own,
  };
}

function resolution(name: string, address: string, ttl: number): Resolution {
  return { names: [name], address, family: address.includes(":") ? 6 : 4, ttl };
}

/** `set: element seconds`, a line each. */
function lines(changes: readonly SetChange[] | undefined): readonly string[] | undefined {
  return changes?.map((change) => {
    if (change.kind === "renew") {
      const { key, milliseconds } = change.element;
      return `${change.set}: ${key} ${milliseconds / 1000}`;
    }
    return `${change.kind} ${change.set}${change.kind === "forget" ? `: ${change.key}` : ""}`;
  });
}

class World {
  clock = 1_000_000;
  readonly names: LearnedNames;

  constructor(sets: readonly NameSet[], lifetimes = {}) {
    this.names = new LearnedNames(() => this.clock, { ...defaultLifetimes, ...lifetimes });
    this.names.use(sets);
  }

  /** An answer that the kernel took; what was written for it. */
  answer(...resolutions: readonly Resolution[]): readonly string[] | undefined {
    const changes = this.names.learn(pods, resolutions);
    this.names.written(changes ?? []);
    return lines(changes);
  }
}

test("S8.4: an address is good for its TTL, and for longer where connections are established", () => {
  const world = new World([nameSet("n", "a.b")]);
  expect(world.answer(resolution("a.b", "192.0.2.1", 30))).toEqual([
    "n_fresh4: 10.0.0.1 . 192.0.2.1 30",
    "n_kept4: 10.0.0.1 . 192.0.2.1 3630",
  ]);
});

test("an IPv6 address is for the pod's IPv6 address, over whatever it was asked for", () => {
  const world = new World([nameSet("n", "a.b")]);
  expect(world.answer(resolution("a.b", "2001:db8::1", 30))).toEqual([
    "n_fresh6: fd00::1 . 2001:db8::1 30",
    "n_kept6: fd00::1 . 2001:db8::1 3630",
  ]);
});

test.each([
  ["shorter than five seconds", 0, 5, 3605],
  ["longer than a week", 10_000_000, 604_800, 608_400],
])("a TTL %s is clamped", (_, ttl, fresh, kept) => {
  const world = new World([nameSet("n", "a.b")]);
  expect(world.answer(resolution("a.b", "192.0.2.1", ttl))).toEqual([
    `n_fresh4: 10.0.0.1 . 192.0.2.1 ${fresh}`,
    `n_kept4: 10.0.0.1 . 192.0.2.1 ${kept}`,
  ]);
});

test("only sets whose names match, and that are for the pod, learn", () => {
  const world = new World([nameSet("x", "x.b"), nameSet("others", "a.b", ["10.0.0.2"])]);
  expect(world.answer(resolution("a.b", "192.0.2.1", 30))).toEqual([]);
});

test("what the kernel has for long enough is not written again", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.answer(resolution("a.b", "192.0.2.1", 30));
  world.clock += 10_000;
  expect(world.answer(resolution("a.b", "192.0.2.1", 20))).toEqual([]);
  expect(world.answer(resolution("a.b", "192.0.2.1", 5))).toEqual([]);
  expect(world.answer(resolution("a.b", "192.0.2.1", 30))).toEqual(["n_fresh4: 10.0.0.1 . 192.0.2.1 30"]);
  world.clock += 400_000;
  expect(world.answer(resolution("a.b", "192.0.2.1", 30))).toHaveLength(2);
});

test("what the kernel refused is written with the next answer", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.names.learn(pods, [resolution("a.b", "192.0.2.1", 30)]);
  expect(world.answer(resolution("a.b", "192.0.2.1", 30))).toHaveLength(2);
});

test("a rule edited to have other names starts with what is known of them", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.answer(resolution("a.b", "192.0.2.1", 30));
  world.clock += 10_000;
  const edited = nameSet("edited", "a.b");
  const expected = ["edited_fresh4: 10.0.0.1 . 192.0.2.1 20", "edited_kept4: 10.0.0.1 . 192.0.2.1 3620"];
  expect(lines(world.names.elementsOf([edited]))).toEqual(expected);
  expect(lines(world.names.use([edited]))).toEqual(expected);
});

test("a new table gets everything, also what an earlier agent learned, except for expired elements", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.names.adopt("n_fresh4", "10.0.0.1 . 192.0.2.9", world.clock + 20_000);
  world.names.adopt("n_fresh4", "10.0.0.1 . 192.0.2.8", world.clock + 5000);
  world.clock += 10_000;
  expect(lines(world.names.elementsOf([nameSet("n", "a.b")]))).toEqual(["n_fresh4: 10.0.0.1 . 192.0.2.9 10"]);
});

test("taking over the same sets writes nothing", () => {
  const world = new World([]);
  world.names.adopt("n_fresh4", "10.0.0.1 . 192.0.2.9", world.clock + 20_000);
  expect(world.names.use([nameSet("n", "a.b")])).toEqual([]);
});

test("S8.4: elements of established connections are kept for as long as they are refreshed", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.answer(resolution("a.b", "192.0.2.1", 30));
  world.clock += 1_000_000;
  const connections = [
    { source: { address: "10.0.0.1" }, destination: { address: "192.0.2.1" } },
    { source: { address: "10.0.0.1" }, destination: { address: "192.0.2.66" } },
    { source: { address: "10.0.0.9" }, destination: { address: "192.0.2.1" } },
  ];
  const kept = world.names.prolong(connections);
  expect(lines(kept)).toEqual(["n_kept4: 10.0.0.1 . 192.0.2.1 3600"]);
  world.names.written(kept);
  world.clock += 3_000_000;
  world.names.sweep();
  expect(lines(world.names.elementsOf([nameSet("n", "a.b")]))).toEqual(["n_kept4: 10.0.0.1 . 192.0.2.1 600"]);
});

test("the addresses per pod are limited; other pods are not affected, and expired ones make room", () => {
  const both = [...pods, "10.0.0.2"];
  const world = new World([nameSet("n", "a.b", both)], { addressesPerPod: 2, keptSeconds: 0 });
  const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((one) => resolution("a.b", one, 30));
  expect(world.names.learn(pods, addresses)).toBeUndefined();
  expect(world.names.learn(["10.0.0.2"], addresses.slice(0, 2))).toHaveLength(4);
  world.clock += 31_000;
  world.names.sweep();
  expect(world.names.learn(pods, addresses.slice(2))).toHaveLength(2);
});

test("what a deleted pod learned is not used for the next pod with its address", () => {
  const world = new World([nameSet("n", "a.b")]);
  world.answer(resolution("a.b", "192.0.2.1", 30));
  expect(lines(world.names.use([nameSet("n", "a.b", ["10.0.0.2"])]))).toEqual([
    "forget n_fresh4: 10.0.0.1 . 192.0.2.1",
    "forget n_kept4: 10.0.0.1 . 192.0.2.1",
  ]);
  expect(world.names.use([nameSet("n", "a.b")])).toEqual([]);
  expect(world.names.elementsOf([nameSet("n", "a.b")])).toEqual([]);
});
