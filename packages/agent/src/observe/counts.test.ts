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

/** What was counted since the reading before. */
function reading(at: number, counters: Readonly<Record<string, number>>) {
  const counted = Object.entries(counters).map(([name, n]) => [name, packets(n)] as const);
  return { at: minute(at), counters: new Map(counted) };
}

describe("sums", () => {
  it("grow by what is read, also where a counter was not there for a while", () => {
    const counts = new Counts("n1");
    for (const [i, n] of [3, 7, 0, undefined, 5].entries())
      counts.read(reading(i, n === undefined ? {} : { [first]: n }), book);
    expect(counts.get(first)).toMatchObject(packets(15));
  });

  it("a counter that is read before its rule is known loses nothing", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 3 }), new Map());
    expect(counts.get(first)).toBeUndefined();
    counts.read(reading(1, { [first]: 2 }), book);
    counts.read(reading(2, { [first]: 0 }), book);
    expect(counts.get(first)).toMatchObject(packets(5));
  });

  it("only growth is reported, with its rule", () => {
    const counts = new Counts("n1");
    counts.read(reading(0, { [first]: 3, [second]: 5, unknown_egress: 1 }), book);
    const grown = counts.read(reading(1, { [first]: 0, [second]: 2, unknown_egress: 1 }), book);
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
    counts.read(reading(2, { [first]: 0, [second]: 0 }), book);
    expect(counts.get(first)).toMatchObject({
      firstSeen: minute(0).toISOString(),
      lastHit: minute(1).toISOString(),
    });
    expect(counts.get(second)).toMatchObject({ firstSeen: minute(1).toISOString() });
  });
});

it("sums continue over a restart of the agent", () => {
  const before = new Counts("n1");
  before.read(reading(0, { [first]: 10 }), book);
  const after = new Counts("n1", before.saved());
  after.read(reading(5, { [first]: 3 }), book);
  expect(after.get(first)).toMatchObject({ ...packets(13), firstSeen: minute(0).toISOString() });
});

describe("rules without pods on the node", () => {
  const day = 24 * 60;
  const gone = new Map<string, never>();

  it.each([
    ["are remembered for weeks, whether or not their counter is still read", 29 * day, 10],
    ["and then forgotten", 31 * day, undefined],
  ])("%s", (_what, later, expected) => {
    for (const still of [{}, { [first]: 0 }]) {
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
    counts.read(reading(1, { [first]: 0 }), gone);
    counts.read(reading(2, { [first]: 1 }), book);
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
