import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { rotated } from "../../../../test/slice.mjs";
import { denying } from "../../testing/denying-ruleset.js";
import { lockHolder } from "../../testing/lock-holder.js";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import type { Chain } from "../ruleset/ruleset.js";
import { type Drift, type FrameOf, KernelTable } from "./kernel-table.js";
import { changesText, type TimedElement } from "../ruleset/set-change.js";
import { done, failed, type Outcome } from "./outcome.js";

const reason = whyNoNamespaces();
// Each of them starts dozens of processes, one after the other.
vi.setConfig({ testTimeout: 1_200_000 });
const mask = 0xffff0000;
const noBridges = (): Outcome<readonly string[]> => done([]);

describe.skipIf(reason)(`our table in the kernel${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  const open: KernelTable[] = [];
  const drifts: Drift[] = [];
  const lockChanges: string[] = [];

  async function openTable(
    table = "tierwall",
    connectionMask = mask,
    bridges = noBridges,
  ): Promise<KernelTable> {
    const opened = value(
      await KernelTable.open({
        table,
        connectionMask,
        enter: node.enter,
        bridges,
        onDrift: (drift) => drifts.push(drift),
        onLockChange: (change) => lockChanges.push(change),
      }),
    );
    open.push(opened);
    return opened;
  }

  beforeEach(() => {
    node = new NetworkNamespace("twk");
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((table) => table.close()));
    drifts.length = 0;
    lockChanges.length = 0;
    node.remove();
  });

  const tables = (): string => node.run("nft", "list", "tables").trim();
  const generationOfKernel = (): string => node.run("nft", "-s", "-nn", "list", "table", "inet", "tierwall");

  test("nothing is written while the lock is lost, and the table is compared once it is held again", async () => {
    const table = await openTable();
    expect(await table.apply(denying(80))).toMatchObject({ ok: true });
    const holder = lockHolder();
    const file = readdirSync(`/proc/${holder}/fd`)
      .map((fd) => readlinkSync(`/proc/${holder}/fd/${fd}`))
      .find((path) => path.includes("tierwall/locks"))!;
    // Another agent that waits for its turn.
    const other = spawn("flock", [file, "cat"], { stdio: ["pipe", "ignore", "inherit"] });
    const isWaiting = () =>
      readFileSync("/proc/locks", "utf8").includes(`-> FLOCK  ADVISORY  WRITE ${other.pid} `);
    await vi.waitFor(() => expect(isWaiting()).toBe(true), { timeout: 60_000 });
    process.kill(holder);
    await vi.waitFor(() => expect(lockChanges).toEqual(["lost"]), { timeout: 60_000 });
    const before = generationOfKernel();
    const refused = await table.apply(denying(80, 81));
    expect(refused.ok ? "" : refused.message).toMatch(/lost the lock for the table `tierwall`/);
    expect(generationOfKernel()).toBe(before);
    node.run("nft", "flush", "table", "inet", "tierwall");
    other.stdin.end();
    await vi.waitFor(() => expect(lockChanges).toEqual(["lost", "held again"]), { timeout: 60_000 });
    await vi.waitFor(() => expect(drifts.at(-1)?.repaired).toMatchObject({ ok: true }), { timeout: 60_000 });
    expect(await table.apply(denying(80, 81))).toMatchObject({ ok: true });
  });

  test("the first time a table is loaded, then only what differs is written, and nothing if nothing does", async () => {
    const table = await openTable();
    expect(await table.apply(denying(80, 81))).toMatchObject({
      ok: true,
      value: { kind: "swapped", table: "tierwall", generation: 1, because: "there was no table" },
    });
    expect(await table.apply(denying(80, 82))).toMatchObject({
      ok: true,
      value: { kind: "changed", table: "tierwall", generation: 2 },
    });
    await until(() => !/[tr]_81/.test(generationOfKernel()));
    const before = generationOfKernel();
    expect(await table.apply(denying(82, 80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", table: "tierwall", generation: 2 },
    });
    expect(generationOfKernel()).toBe(before);
    expect(drifts).toEqual([]);
  });

  test("what nothing refers to any more is gone a moment later", async () => {
    const table = await openTable();
    await table.apply(denying(80, 81));
    await table.apply(denying(80));
    await until(() => !/[tr]_81/.test(generationOfKernel()));
    expect(drifts).toEqual([]);
  });

  test("an agent that starts again finds its table, and writes nothing", async () => {
    await (await openTable()).apply(denying(80));
    await open.pop()!.close();
    const before = generationOfKernel();
    const table = await openTable();
    expect(await table.apply(denying(80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", generation: 1 },
    });
    expect(generationOfKernel()).toBe(before);
    expect(await table.apply(denying(90))).toMatchObject({
      ok: true,
      value: { kind: "changed", generation: 2 },
    });
  });

  test("the table before the first rules has the second name, changes in place, and is replaced as a whole", async () => {
    const table = await openTable();
    expect(await table.applyBefore(denying(80), () => false)).toEqual({ ok: true });
    expect(tables()).toBe("");
    expect(await table.applyBefore(denying(80), (held) => held === undefined)).toMatchObject({
      value: { kind: "swapped", table: "tierwall-b", generation: 1 },
    });
    expect(await table.applyBefore(denying(81), (held) => held !== undefined)).toMatchObject({
      value: { kind: "changed", table: "tierwall-b", generation: 2 },
    });
    expect(await table.apply(denying(80))).toMatchObject({
      value: { kind: "swapped", table: "tierwall", generation: 3 },
    });
    expect(tables()).toBe("table inet tierwall");
    expect(await table.apply(denying(82))).toMatchObject({
      value: { kind: "changed", table: "tierwall", generation: 4 },
    });
    expect(drifts).toEqual([]);
  });

  test("the table before the first rules is repaired, and found again by the next agent", async () => {
    const table = await openTable();
    await table.applyBefore(denying(80), () => true);
    node.run("nft", "delete", "table", "inet", "tierwall-b");
    await until(() => drifts.length > 0);
    expect(drifts).toMatchObject([{ repaired: { ok: true } }]);
    await open.pop()!.close();
    const next = await openTable();
    expect(await next.applyBefore(denying(80), (held) => held?.counters.has("r_80") === true)).toMatchObject({
      value: { kind: "unchanged" },
    });
    expect(await next.apply(denying(80))).toMatchObject({ value: { kind: "unchanged" } });
  });

  describe("what has to be there before rules change", () => {
    const judging = (range: string): FrameOf => {
      const hook = "type filter hook output priority -10; policy accept;";
      const set = `ranges_${range.replaceAll(/\W/g, "_")}`;
      const elements = new Map([[range, ""]]);
      return (generation) => ({
        chains: new Map<string, Chain>([
          ["output", { hook, rules: [`meta mark 0x0000000${generation} accept`, `ip daddr @${set} drop`] }],
        ]),
        sets: new Map([[set, { kind: "set", type: "ipv4_addr", flags: ["interval"], elements }]]),
        counters: new Set(),
      });
    };

    test("are ranges, each by a name of its own; those of before go", async () => {
      const table = await openTable();
      for (const range of ["203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24"])
        expect((await table.apply(judging(range))).ok).toBe(true);
      await until(() => generationOfKernel().match(/set ranges_/g)?.length === 1);
      expect(generationOfKernel()).toContain("set ranges_192_0_2_0_24");
      expect(drifts).toEqual([]);
    });

    test("does not count as a table: an agent that was killed before the rules left nothing", async () => {
      node.load("table inet tierwall {\n\tset ranges {\n\t\ttype ipv4_addr\n\t\tflags interval\n\t}\n}\n");
      const table = await openTable();
      expect(await table.apply(judging("203.0.113.0/24"))).toMatchObject({
        ok: true,
        value: { kind: "swapped", table: "tierwall", because: "there was no table" },
      });
      expect(generationOfKernel()).not.toContain("set ranges {");
    });
  });

  describe("what packets under evaluation need", () => {
    const again = "meta priority ffff:0 drop";
    const judging =
      (port: number): FrameOf =>
      (generation) => ({
        chains: new Map<string, Chain>([
          [
            "output",
            {
              hook: "type filter hook output priority -10; policy accept;",
              rules: [`meta mark 0x0000000${generation} accept`, `udp dport ${port} drop`],
            },
          ],
          ["output_again", { hook: "type filter hook output priority -9; policy accept;", rules: [again] }],
        ]),
        sets: new Map(),
        counters: new Set(),
      });

    test("is added with a change, stays for the next ones, and is removed when there are no more", async () => {
      const table = await openTable();
      await table.apply(judging(80));
      expect(generationOfKernel()).toContain("chain output_again");
      expect(generationOfKernel()).not.toContain(again);
      for (const port of [81, 82]) {
        expect(await table.apply(judging(port))).toMatchObject({ ok: true, value: { kind: "changed" } });
        expect(generationOfKernel()).toContain(again);
      }
      expect(await table.apply(judging(82))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
      await until(() => !generationOfKernel().includes(again));
      const before = generationOfKernel();
      expect(before).toContain("chain output_again");
      expect(await table.apply(judging(82))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
      expect(generationOfKernel()).toBe(before);
      expect(drifts).toEqual([]);
    });

    test("is taken away by the next agent, where one was killed before it could", async () => {
      await (await openTable()).apply(judging(80));
      await open.pop()!.close();
      node.load(`add rule inet tierwall output_again ${again}\n`);
      const table = await openTable();
      expect(await table.apply(judging(80))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
      await until(() => !generationOfKernel().includes(again));
    });

    test("is not needed by a table that is new, nor by one on trial", async () => {
      const table = await openTable();
      await table.apply(judging(80));
      await table.apply(judging(81));
      value(await table.startTrial(judging(82), 60));
      expect(node.run("nft", "list", "table", "inet", "tierwall-b")).not.toContain(again);
      value(await table.confirm());
      expect([node.lets(81), node.lets(82)]).toEqual([true, false]);
      expect(await table.apply(judging(83))).toMatchObject({ ok: true, value: { kind: "changed" } });
      expect(value(await table.verify())).toEqual([]);
    });
  });

  test("a second agent refuses to start", async () => {
    await openTable();
    const second = await KernelTable.open({ table: "tierwall", connectionMask: mask, enter: node.enter });
    expect(second.ok ? "" : second.message).toContain("another agent manages the table");
  });

  const foreignChanges = [
    ["a rule is deleted", "flush chain inet tierwall t_80", "chain t_80 differs"],
    ["an element is added", "add element inet tierwall ports { 99 : drop }", "set ports differs"],
    ["a chain is added", "add chain inet tierwall foreign", "chain foreign is unexpected"],
    ["all rules are flushed", "flush ruleset", "the table was deleted"],
    ["the table sleeps", "add table inet tierwall { flags dormant; }", "found flags dormant"],
  ] as const;
  for (const [rows, options] of rotated(foreignChanges, 2))
    test.each(rows)("repairs it when %s", options, async (_, foreign, difference) => {
      const table = await openTable();
      await table.apply(denying(80));
      const before = generationOfKernel();
      node.load(`${foreign}\n`);
      await until(() => drifts.length > 0);
      expect(drifts[0]?.differences).toContain(difference);
      expect(drifts[0]).toMatchObject({
        repaired: {
          ok: true,
          value: { kind: "swapped", table: "tierwall-b", generation: 2, because: difference },
        },
      });
      expect(tables()).toBe("table inet tierwall-b");
      expect(rulesOf(node, "tierwall-b")).toBe(rulesIn(before).replace("mark 0x00000001", "mark 0x00000002"));
      expect(await table.apply(denying(80))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
    });

  test("notices what happened while nft monitor was not there", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    for (const monitor of node.processes) process.kill(monitor, "SIGKILL");
    node.load("flush chain inet tierwall t_80\n");
    await until(() => drifts.length > 0);
    expect(drifts[0]?.differences).toEqual(["chain t_80 differs"]);
    expect(node.lets(80)).toBe(false);
  });

  test("an nft that a killed agent left behind may still load a table: it is removed", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    node.load(
      "table inet tierwall-b {\n\tchain output {\n\t\ttype filter hook output priority -10; policy drop;\n\t}\n}\n",
    );
    await until(() => drifts.length > 0);
    expect(drifts[0]?.differences).toEqual(["the table tierwall-b was created by another process"]);
    expect([node.lets(80), node.lets(81)]).toEqual([false, true]);
    expect(tables()).toBe("table inet tierwall-b");
  });

  test("also while the agent's own table is loaded and the monitor is off", async () => {
    const table = await openTable();
    let isFirst = true;
    const disturbed: ReturnType<typeof denying> = (...args) => {
      if (isFirst) node.load("table inet tierwall-b {\n}\n");
      isFirst = false;
      return denying(80)(...args);
    };
    expect(await table.apply(disturbed)).toMatchObject({ ok: true, value: { table: "tierwall" } });
    await until(() => drifts.length > 0);
    expect(drifts[0]?.differences).toEqual(["the table tierwall-b was created by another process"]);
    expect(tables()).toBe("table inet tierwall-b");
    expect([node.lets(80), node.lets(81)]).toEqual([false, true]);
  });

  test("watches again after a table was loaded", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    node.run("nft", "flush", "ruleset");
    await until(() => drifts.length > 0);
    expect(node.lets(80)).toBe(false);
  });

  test("a new bridge is configured before rules are applied, and a failure is reported", async () => {
    const answers = [
      done([]),
      done(["net.bridge.bridge-nf-call-iptables"]),
      failed("load the module br_netfilter"),
    ];
    const table = await openTable("tierwall", mask, () => answers.shift()!);
    expect(table.changedSettings).toEqual([]);
    expect(await table.apply(denying(80))).toMatchObject({ ok: true });
    expect(table.changedSettings).toEqual(["net.bridge.bridge-nf-call-iptables"]);
    expect(await table.apply(denying(81))).toEqual({ ok: false, message: "load the module br_netfilter" });
    expect(node.lets(81)).toBe(false);
  });

  test("tables of other programs are not touched", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    node.load("table inet theirs {\n\tchain c {\n\t}\n}\nadd rule inet theirs c accept\n");
    await table.apply(denying(81));
    value(await table.cleanup());
    expect(tables()).toBe("table inet theirs");
    expect(drifts).toEqual([]);
  });

  test("what counters counted outlives differences and swaps", async () => {
    const table = await openTable();
    await table.apply(denying(80, 81));
    const packets = async (...names: readonly string[]): Promise<readonly (number | undefined)[]> => {
      const counted = value(await table.counters());
      return names.map((name) => counted.get(name)?.packets);
    };
    node.lets(80);
    node.lets(81);
    expect(await packets("r_80", "r_81")).toEqual([1, 1]);
    node.lets(81);
    await table.apply(denying(80));
    await sleep(500);
    node.lets(80);
    node.load("flush chain inet tierwall t_80\nadd rule inet tierwall t_80 drop\n");
    await until(() => drifts.length > 0);
    node.lets(80);
    expect(await packets("r_80", "r_81")).toEqual([2, 1]);
  });

  test("learned elements outlive differences and swaps, and learning them again restarts their timeout", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    const pair = "10.0.0.1 . 192.0.2.1";
    const learn = async (set: string, element: TimedElement) =>
      value(await table.changeElements(({ name }) => changesText([{ kind: "renew", set, element }], name)));
    await learn("names", { key: pair, milliseconds: 1_000_000 });
    await learn("names", { key: pair, milliseconds: 60_000 });
    await learn("redirects", { key: "10.0.0.1", value: "5353", milliseconds: 60_000 });
    await table.apply(denying(81));
    node.load("flush chain inet tierwall output\n");
    await until(() => drifts.length > 0);
    const learned = node.run("nft", "-s", "-nn", "list", "table", "inet", "tierwall-b");
    expect(learned).toContain(`{ ${pair} timeout 60s }`);
    expect(learned).toContain("{ 10.0.0.1 timeout 60s : 5353 }");
    expect(drifts).toHaveLength(1);
  });

  test("rules that nft refuses leave the old ones in force, and the message quotes nft and the line", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    const nonsense = (): ReturnType<ReturnType<typeof denying>> => ({
      ...denying(80)(1, "first"),
      chains: new Map([["nonsense", { rules: ["accept if you like"] }]]),
    });
    const outcome = await table.apply(nonsense);
    expect(outcome.ok ? "" : outcome.message).toMatch(
      /^nft refused line \d+ `accept if you like`: syntax error/,
    );
    expect([node.lets(80), node.lets(81)]).toEqual([false, true]);
    expect(await table.apply(denying(81))).toMatchObject({ ok: true, value: { kind: "changed" } });
    expect([node.lets(80), node.lets(81)]).toEqual([true, false]);
  });

  test("a set that cannot be changed in place is changed by a swap", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    const sized: ReturnType<typeof denying> = (generation, place) => {
      const { sets, ...rest } = denying(80)(generation, place);
      return { ...rest, sets: new Map([...sets, ["ports", { ...sets.get("ports")!, size: 100 }]]) };
    };
    expect(await table.apply(sized)).toMatchObject({
      ok: true,
      value: { kind: "swapped", because: "map ports changes its declaration" },
    });
    expect(node.lets(80)).toBe(false);
  });

  test("cleanup removes both tables, and forgets what connections were stamped with", async () => {
    const table = await openTable();
    await table.apply(denying(80));
    value(await table.startTrial(denying(81), 60));
    expect(tables()).toBe("table inet tierwall\ntable inet tierwall-b");
    value(await table.cleanup());
    expect(tables()).toBe("");
    expect(await table.apply(denying(80))).toMatchObject({
      ok: true,
      value: { kind: "swapped", generation: 1 },
    });
  });

  test("after the last generation the marks of connections are cleared, and generations restart", async () => {
    // Two bits say `by name` and `denied`: there is room for the generations 1 to 3.
    const table = await openTable("tierwall", 0x000f0000);
    const udp = ["-p", "udp", "--sport", "1", "--dport", "2", "-t", "600", "-m", "0x00050007"];
    node.run("conntrack", "-I", "-s", "10.0.0.1", "-d", "10.0.0.2", ...udp);
    node.run("conntrack", "-I", "-s", "fd00::1", "-d", "fd00::2", ...udp);
    const seen: [generation: number, ...marks: number[]][] = [];
    for (const port of [80, 81, 80, 81, 80]) {
      const { generation } = value(await table.apply(denying(port)));
      const marks = [...node.run("conntrack", "-L").matchAll(/ mark=(\d+)/g)].map(([, mark]) => Number(mark));
      seen.push([generation, ...marks]);
      if (generation > 1) continue;
      for (const family of ["ipv4", "ipv6"]) {
        node.run("conntrack", "-U", "-f", family, "-m", "0x00050000/0x000f0000");
      }
    }
    expect(seen).toEqual([
      [1, 7, 7],
      [2, 0x00050007, 0x00050007],
      [3, 0x00050007, 0x00050007],
      [1, 7, 7],
      [2, 0x00050007, 0x00050007],
    ]);
  });

  test("rules do not wait for many marks to be cleared: they stamp nothing until then", async () => {
    const table = await openTable("tierwall", 0x000f0000);
    for (const port of [80, 81, 80]) value(await table.apply(denying(port)));
    const connections = 2000;
    node.connect(connections, "0x00050007");
    const unstamped = [81, 80].map(async (port) => value(await table.apply(denying(port))).generation);
    expect(await Promise.all(unstamped)).toEqual([4, 5]);
    await until(() => table.generation === 1);
    const marks = node.run("conntrack", "-L").match(/ mark=\d+/g);
    expect(new Set(marks)).toEqual(new Set([" mark=7"]));
    expect(marks).toHaveLength(connections);
    expect(value(await table.apply(denying(80))).kind).toBe("unchanged");
  });

  test("the next agent continues to clear marks", async () => {
    const first = await openTable("tierwall", 0x000f0000);
    for (const port of [80, 81, 80]) value(await first.apply(denying(port)));
    node.connect(1000, "0x00050000");
    value(await first.apply(denying(81)));
    await first.close();
    const second = await openTable("tierwall", 0x000f0000);
    expect(second.generation).toBe(4);
    expect(value(await second.apply(denying(81)))).toMatchObject({ kind: "unchanged", generation: 4 });
    await until(() => second.generation === 1);
    expect(node.run("conntrack", "-L")).not.toMatch(/ mark=[1-9]/);
  });
});

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

const rulesOf = (node: NetworkNamespace, table: string): string =>
  rulesIn(node.run("nft", "-s", "-nn", "list", "table", "inet", table));

/** Without the table's name and its state. */
const rulesIn = (listing: string): string =>
  listing.replace(/^.*\n/, "").replace(/\tset state \{[^}]*\}\n[^}]*\}\n/, "");
