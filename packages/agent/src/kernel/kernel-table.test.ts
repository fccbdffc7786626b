import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ruleset } from "../ruleset/ruleset.js";
import { NetworkNamespace, whyNoNamespaces } from "../testing/network-namespace.js";
import { type Drift, KernelTable } from "./kernel-table.js";
import { done, type Outcome } from "./outcome.js";

const reason = whyNoNamespaces();
const mask = 0xffff0000;

/** A table that lets `port` pass and counts, framed as the agent's are: the generation stands in the base chain alone. */
function opening(...ports: readonly number[]): (generation: number) => Ruleset {
  const counters = new Set(ports.map((port) => `r_${port}`));
  const chains = ports.map(
    (port) => [`t_${port}`, { rules: [`counter name "r_${port}"`, "accept"] }] as const,
  );
  const verdicts = new Map(ports.map((port) => [`${port}`, `goto t_${port}`]));
  return (generation) => ({
    chains: new Map([
      ...chains,
      [
        "ingress",
        {
          hook: "type filter hook input priority -5; policy accept;",
          rules: [
            `ct mark 0x${(generation * 4).toString(16).padStart(4, "0")}0000/16 accept`,
            "udp dport vmap @ports",
          ],
        },
      ],
    ]),
    sets: new Map([
      ["ports", { kind: "map", type: "inet_service : verdict", flags: [], elements: verdicts }],
    ]),
    counters,
  });
}

describe.skipIf(reason)(`our table in the kernel${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  const open: KernelTable[] = [];
  const drifts: Drift[] = [];

  async function openTable(table = "tierwall"): Promise<KernelTable> {
    const opened = value(
      await KernelTable.open({
        table,
        connectionMask: mask,
        enter: node.enter,
        bridges: () => done([]),
        onDrift: (drift) => drifts.push(drift),
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
    node.remove();
  });

  const tables = (): string => node.run("nft", "list", "tables").trim();
  const generationOfKernel = (): string => node.run("nft", "-s", "-nn", "list", "table", "inet", "tierwall");

  test("the first time a table is loaded, then only what differs is written, and nothing if nothing does", async () => {
    const table = await openTable();
    expect(await table.apply(opening(80, 81))).toMatchObject({
      ok: true,
      value: { kind: "swapped", table: "tierwall", generation: 1, because: "there was no table" },
    });
    expect(await table.apply(opening(80, 82))).toMatchObject({
      ok: true,
      value: { kind: "changed", table: "tierwall", generation: 2 },
    });
    const before = generationOfKernel();
    expect(await table.apply(opening(82, 80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", table: "tierwall", generation: 2 },
    });
    expect(generationOfKernel()).toBe(before);
    expect(drifts).toEqual([]);
  });

  test("what nothing refers to any more is gone a moment later", async () => {
    const table = await openTable();
    await table.apply(opening(80, 81));
    await table.apply(opening(80));
    expect(generationOfKernel()).toContain("chain t_81");
    await sleep(600);
    expect(generationOfKernel()).not.toMatch(/[tr]_81/);
    expect(drifts).toEqual([]);
  });

  test("an agent that starts again finds its table, and writes nothing", async () => {
    await (await openTable()).apply(opening(80));
    await open.pop()!.close();
    const before = generationOfKernel();
    const table = await openTable();
    expect(await table.apply(opening(80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", generation: 1 },
    });
    expect(generationOfKernel()).toBe(before);
    expect(await table.apply(opening(90))).toMatchObject({
      ok: true,
      value: { kind: "changed", generation: 2 },
    });
  });

  test("a second agent refuses to start", async () => {
    await openTable();
    const second = await KernelTable.open({ table: "tierwall", connectionMask: mask, enter: node.enter });
    expect(second.ok ? "" : second.message).toContain("another agent keeps the table");
  });

  test.each([
    ["a rule is deleted", "flush chain inet tierwall t_80", "chain t_80 is another"],
    ["an element is added", "add element inet tierwall ports { 99 : drop }", "set ports is another"],
    ["a chain is added", "add chain inet tierwall foreign", "chain foreign is not ours"],
    ["all rules are flushed", "flush ruleset", "the table is gone"],
    ["the table sleeps", "add table inet tierwall { flags dormant; }", "found flags dormant"],
  ])("repairs it when %s", async (_, foreign, difference) => {
    const table = await openTable();
    await table.apply(opening(80));
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
    expect(rulesOf(node, "tierwall-b")).toBe(rulesIn(before).replace("0x00040000", "0x00080000"));
    expect(await table.apply(opening(80))).toMatchObject({ ok: true, value: { kind: "unchanged" } });
  });

  test("other tables are nobody's business, and stay", async () => {
    const table = await openTable();
    await table.apply(opening(80));
    node.load("table inet theirs {\n\tchain c {\n\t}\n}\nadd rule inet theirs c accept\n");
    await table.apply(opening(81));
    value(await table.cleanup());
    expect(tables()).toBe("table inet theirs");
    expect(drifts).toEqual([]);
  });

  test("sums of counters outlive differences and swaps", async () => {
    const table = await openTable();
    await table.apply(opening(80, 81));
    const send = (port: number): string => node.run("bash", "-c", `echo -n hi > /dev/udp/127.0.0.1/${port}`);
    const packets = async (name: string): Promise<number | undefined> =>
      value(await table.counters()).get(name)?.packets;
    send(80);
    send(81);
    expect([await packets("r_80"), await packets("r_81")]).toEqual([1, 1]);
    send(81);
    await table.apply(opening(80));
    await sleep(500);
    send(80);
    node.load("flush chain inet tierwall ingress\n");
    await until(() => drifts.length > 0);
    send(80);
    expect([await packets("r_80"), await packets("r_81")]).toEqual([3, 2]);
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
