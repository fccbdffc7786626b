import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { done, failed } from "../kernel/outcome.js";
import { bookOf } from "../../testing/book.js";
import { lacking } from "../../testing/tools.js";
import type { Count } from "../kernel/counters.js";
import { Observer, type ObserverOptions } from "./observer.js";

const book = bookOf(`
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}
`);
const identities = {
  kind: "map",
  type: "ipv4_addr : classid",
  flags: [],
  elements: new Map([
    ["10.0.0.1", "1:1"],
    ["10.0.0.2", "1:1"],
    ["10.0.0.3", "1:2"],
  ]),
} as const;
const ruleset = { chains: new Map(), counters: new Set<string>(), sets: new Map([["ident4", identities]]) };
const emptyCluster = { pods: new Map(), nodes: new Map() };

const folder = mkdtempSync(join(tmpdir(), "tierwall-observer-"));
afterAll(() => rmSync(folder, { recursive: true }));

let troubles: string[];
let stateFile: string;
let run = 0;
beforeEach(() => {
  troubles = [];
  stateFile = join(folder, `${run++}.json`);
});

/** An agent's observer with simulated counters. */
function observing({ programmed = true, ...more }: Partial<ObserverOptions> & { programmed?: boolean } = {}) {
  let counters = new Map<string, Count>();
  const take = () => {
    const counted = counters;
    counters = new Map();
    return counted;
  };
  const observer = new Observer({
    node: "n1",
    shadow: false,
    stateFile,
    readCounters: () => Promise.resolve(done(take())),
    every: 60_000,
    series: 10,
    cut: { list: () => Promise.resolve(done([])), onCut: () => undefined },
    onTrouble: (message) => troubles.push(message),
    ...more,
  });
  if (programmed) observer.programmed({ book, ruleset }, emptyCluster);
  const count = async (packets: Readonly<Record<string, number>>) => {
    for (const [name, n] of Object.entries(packets)) counters.set(name, { packets: n, bytes: n });
    await observer.read();
  };
  const metric = async (name: string) =>
    (await observer.metrics.text()).split("\n").filter((line) => line.startsWith(name));
  return { observer, count, metric };
}

const hitsOf = async ({ observer }: ReturnType<typeof observing>) =>
  (await observer.hits()).rules.map(({ rule, verdict, shadow, packets }) => [rule, verdict, shadow, packets]);

describe("counts", () => {
  it("continue after a restart", async () => {
    const first = observing();
    await first.count({ r_a: 4, r_b: 1 });
    await first.count({ r_a: 1 });
    await first.observer.stop();
    const second = observing();
    await second.count({ r_a: 2, r_b: 0 });
    expect(await hitsOf(second)).toEqual([
      ["rule 1", "Allow", false, 7],
      ["isolation", "Deny", false, 1],
    ]);
    expect(await second.metric("tierwall_rule_packets_total")).toEqual([
      expect.stringMatching(/rule="rule 1".* 7$/),
      expect.stringMatching(/rule="isolation".* 1$/),
    ]);
  });

  it("start at zero if the state cannot be read, which is reported", async () => {
    writeFileSync(stateFile, "{");
    const it = observing();
    await it.count({ r_a: 5 });
    expect(await hitsOf(it)).toEqual([["rule 1", "Allow", false, 5]]);
    expect(troubles).toEqual([expect.stringContaining("counts start at zero")]);
  });

  it("that cannot be written are reported at the start, once, with what to do", async () => {
    writeFileSync(join(folder, "file"), "");
    const it = observing({ stateFile: join(folder, "file/hits.json") });
    await it.observer.start();
    await it.count({ r_a: 5 });
    await it.observer.stop();
    expect(troubles).toEqual([
      expect.stringMatching(/^cannot write `.*\/file\/hits\.json`, .*; set --state-dir to another folder$/),
    ]);
  });

  it("of unknown pods and cut connections are metrics of their own", async () => {
    const it = observing();
    await it.count({ unknown_egress: 3, unknown_ingress: 2, cut: 1 });
    await it.count({ unknown_egress: 1, unknown_ingress: 0, cut: 1 });
    expect(await it.metric("tierwall_unknown_pod")).toEqual([
      'tierwall_unknown_pod_dropped_packets_total{direction="egress"} 4',
      'tierwall_unknown_pod_dropped_packets_total{direction="ingress"} 2',
    ]);
    expect(await it.metric("tierwall_cut_connections_total")).toEqual(["tierwall_cut_connections_total 2"]);
    expect(it.observer.cutConnections).toBe(2);
  });

  it("of cut connections that grow make it look which they are", async () => {
    let looks = 0;
    const list = () => Promise.resolve(done(looks++ < 1 ? [] : [connection]));
    const connection = {
      id: "1",
      protocol: "TCP",
      source: { address: "10.0.0.1", port: 40_000 },
      destination: { address: "10.0.0.2", port: 80 },
    };
    const cut: (readonly unknown[])[] = [];
    const it = observing({ cut: { list, onCut: (connections) => cut.push(connections) } });
    await it.observer.start();
    await it.count({ cut: 0 });
    expect([looks, it.observer.lastCut]).toEqual([1, []]);
    await it.count({ cut: 1 });
    expect(cut).toMatchObject([
      [{ protocol: "TCP", destination: { address: "10.0.0.2", kind: "external" } }],
    ]);
    expect(it.observer.lastCut).toEqual(cut[0]);
    await it.observer.stop();
    expect(looks).toBe(2);
  });

  it("of identities are of those that differ", async () => {
    expect(await observing().metric("tierwall_identities")).toEqual(["tierwall_identities 2"]);
  });

  it("on a node in shadow mode are of denials that would be", async () => {
    const it = observing({ shadow: true });
    await it.count({ r_a: 1, r_b: 1 });
    expect(await hitsOf(it)).toEqual([
      ["rule 1", "Allow", false, 1],
      ["isolation", "Deny", true, 1],
    ]);
  });

  it("of too many rules are summed up, and that is said once", async () => {
    const it = observing({ series: 1 });
    await it.count({ r_a: 1, r_b: 1 });
    await it.count({ r_a: 0, r_b: 1 });
    expect(troubles).toEqual([expect.stringContaining("more than 1 rules")]);
  });

  it("of an agent before it are kept until it has rules of its own", async () => {
    const first = observing();
    await first.count({ r_a: 4 });
    await first.observer.stop();
    const second = observing({ programmed: false });
    await second.count({ r_a: 1 });
    expect(await hitsOf(second)).toEqual([["rule 1", "Allow", false, 4]]);
    second.observer.programmed({ book, ruleset }, emptyCluster);
    expect(await hitsOf(second)).toEqual([["rule 1", "Allow", false, 5]]);
  });

  it("that cannot be read change nothing, which is reported once", async () => {
    const it = observing({ readCounters: () => Promise.resolve(failed("nft failed")) });
    await it.observer.read();
    await it.observer.read();
    expect(await hitsOf(it)).toEqual([]);
    expect(troubles).toEqual(["cannot read counters: nft failed"]);
  });
});

const reason = lacking("ulogd");
describe.skipIf(reason)(`the audit log${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  it("says what was counted and not logged, in the file, the metrics and the figures", async () => {
    const log = join(folder, "audit.log");
    // A group that no rule of this machine logs to.
    const it = observing({
      audit: { log, group: 64_000 + (process.pid % 1000), folder: join(folder, "run") },
    });
    await it.observer.start();
    expect(it.observer.auditFigures).toEqual({ running: true, lines: 0, suppressed: 0 });
    await it.count({ r_a: 9, r_b: 4 });
    await it.count({});
    await it.observer.stop();
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { node: "n1", suppressed: 4, by: { kind: "isolation", policies: [{ name: "web" }] } },
    ]);
    expect(it.observer.auditFigures).toEqual({ running: false, lines: 0, suppressed: 4 });
    expect(await it.metric("tierwall_audit_suppressed_total")).toEqual(["tierwall_audit_suppressed_total 4"]);
    expect(troubles).toEqual([]);
  });
});
