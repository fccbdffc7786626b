import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "@tierwall/kube";
import { afterAll, describe, expect, it } from "vitest";
import { bookOf } from "../../testing/book.js";
import type { Count } from "../kernel/counters.js";
import { Counts, readStateFile } from "./counts.js";

const book = bookOf(`
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}, {from: [{namespaceSelector: {}}]}]}
`);
const [first, second] = [...book.keys()].map((id) => `r_${id}`) as [string, string];

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n));
const packets = (n: number): Count => ({ packets: n, bytes: n * 100 });

function reading(at: number, counters: Readonly<Record<string, number>>, origin = "t1") {
  const counted = Object.entries(counters).map(([name, n]) => [name, packets(n)] as const);
  return { at: minute(at), origin, counters: new Map(counted) };
}

/** What the counter of the first rule says in each reading, in which table, and what the sum is afterwards. */
describe("sums", () => {
  it.each<[string, readonly (readonly [number | undefined, string])[], number]>([
    [
      "growth",
      [
        [3, "t1"],
        [10, "t1"],
        [10, "t1"],
      ],
      10,
    ],
    [
      "a swapped table begins at zero",
      [
        [10, "t1"],
        [4, "t2"],
      ],
      14,
    ],
    [
      "a swapped table that has counted more since than the old one ever did",
      [
        [10, "t1"],
        [12, "t2"],
      ],
      22,
    ],
    [
      "a counter that another process reset",
      [
        [10, "t1"],
        [2, "t1"],
      ],
      12,
    ],
    [
      "a rule that went and came back",
      [
        [10, "t1"],
        [undefined, "t1"],
        [15, "t1"],
      ],
      25,
    ],
    [
      "a rule that went with one table and came back in another",
      [
        [10, "t1"],
        [undefined, "t2"],
        [1, "t3"],
      ],
      11,
    ],
  ])("%s", (_what, readings, expected) => {
    const counts = new Counts("n1");
    readings.forEach(([n, origin], i) => {
      counts.read(reading(i, n === undefined ? {} : { [first]: n }, origin), book);
    });
    expect(counts.get(first)).toMatchObject(packets(expected));
  });

  it("a counter that is read before its rule is known loses nothing", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 3 }), new Map());
    expect(counts.get(first)).toBeUndefined();
    counts.read(reading(1, { [first]: 5 }), book);
    expect(counts.get(first)).toMatchObject(packets(5));
  });

  it("only growth is reported, with its rule", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 3, [second]: 5, unknown_egress: 1 }), book);
    const grown = counts.read(reading(1, { [first]: 3, [second]: 7, unknown_egress: 2 }), book);
    expect(grown).toEqual([
      { name: second, ...packets(2), entry: book.get(second.slice(2)) },
      { name: "unknown_egress", ...packets(1) },
    ]);
  });

  it("the last hit is the reading in which it grew, the first sight that in which it appeared", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 0 }), book);
    expect(counts.get(first)?.lastHit).toBeUndefined();
    counts.read(reading(1, { [first]: 1, [second]: 0 }), book);
    counts.read(reading(2, { [first]: 1, [second]: 0 }), book);
    expect(counts.get(first)).toMatchObject({
      firstSeen: minute(0).toISOString(),
      lastHit: minute(1).toISOString(),
    });
    expect(counts.get(second)).toMatchObject({ firstSeen: minute(1).toISOString() });
  });
});

describe("over a restart of the agent", () => {
  const before = new Counts("n1");
  before.read(reading(0, { [first]: 10 }), book);
  const saved = before.saved();

  it.each([
    ["the table stayed: only what came since", 12, "t1", 12],
    ["the node was started again: all of it came since", 3, "t2", 13],
    ["the node was restarted, which only the counter shows", 3, "t1", 13],
  ])("%s", (_what, n, origin, expected) => {
    const after = new Counts("n1", saved);
    after.read(reading(5, { [first]: n }, origin), book);
    expect(after.get(first)).toMatchObject({ ...packets(expected), firstSeen: minute(0).toISOString() });
  });
});

describe("rules without pods on the node", () => {
  const day = 24 * 60;
  const gone = new Map<string, never>();

  it.each([
    ["are remembered for weeks, whether or not their counter is still read", 29 * day, 10],
    ["and then forgotten", 31 * day, undefined],
  ])("%s", (_what, later, expected) => {
    for (const still of [{}, { [first]: 10 }]) {
      const counts = new Counts("n1");
      counts.read(reading(0, { [first]: 10 }), book);
      counts.read(reading(1, still), gone);
      counts.read(reading(1 + later, still), gone);
      expect(counts.get(first)?.packets).toBe(expected);
      expect(counts.present().size).toBe(0);
    }
  });

  it("come back with what they had", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 10 }), book);
    counts.read(reading(1, { [first]: 10 }), gone);
    counts.read(reading(2, { [first]: 11 }), book);
    expect(counts.present().get(first)).toMatchObject({ packets: 11, firstSeen: minute(0).toISOString() });
  });
});

describe("the state file", () => {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-state-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("gives back what was written, and leaves nothing else", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 10 }), book);
    const file = join(folder, "new/hits.json");
    replaceFile(file, JSON.stringify(counts.saved()));
    expect(readStateFile(file)).toEqual({ saved: counts.saved() });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(counts.saved());
  });

  it("is not there yet: neither state nor problem", () => {
    expect(readStateFile(join(folder, "none.json"))).toEqual({});
  });

  it.each([
    ["half a file", '{"version":1,"sums"'],
    ["another version", JSON.stringify({ version: 9, node: "n1", sums: {}, seen: {} })],
    ["something else", "[]"],
  ])("%s is said, with the name of the file", (_what, text) => {
    const file = join(folder, "broken.json");
    writeFileSync(file, text);
    const { saved, problem } = readStateFile(file);
    expect(saved).toBeUndefined();
    expect(problem).toContain(file);
  });
});
