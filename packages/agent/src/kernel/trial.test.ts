import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { denying } from "../../testing/denying-ruleset.js";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { KernelTable, type TrialEnd } from "./kernel-table.js";
import { changesText } from "../ruleset/set-change.js";
import { done, type Outcome } from "./outcome.js";

const reason = whyNoNamespaces();
// Each of them starts dozens of processes, one after the other.
vi.setConfig({ testTimeout: 1_200_000 });

describe.skipIf(reason)(`rules on trial${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let node: NetworkNamespace;
  let table: KernelTable;
  const ends: TrialEnd[] = [];

  async function open(): Promise<void> {
    table = value(
      await KernelTable.open({
        table: "tierwall",
        connectionMask: 0xffff0000,
        enter: node.enter,
        bridges: () => done([]),
        onTrialEnd: (end) => ends.push(end),
      }),
    );
  }

  beforeEach(async () => {
    node = new NetworkNamespace("twk");
    ends.length = 0;
    await open();
    value(await table.apply(denying(80)));
  });

  afterEach(async () => {
    await table.close();
    node.remove();
  });

  const tables = (): string => node.run("nft", "list", "tables").trim();
  const whoIsDenied = (): number[] => [80, 81].filter((port) => !node.lets(port));

  test("judge alone while it lasts, and for good once they are confirmed", async () => {
    expect(await table.startTrial(denying(81), 60)).toMatchObject({
      ok: true,
      value: { kind: "on trial", table: "tierwall-b", generation: 2 },
    });
    expect(whoIsDenied()).toEqual([81]);
    value(await table.confirm());
    expect(whoIsDenied()).toEqual([81]);
    expect(ends).toEqual(["confirmed"]);
    expect(tables()).toBe("table inet tierwall-b");
    expect(await table.apply(denying(81))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", table: "tierwall-b", generation: 2 },
    });
    expect(value(await table.verify())).toEqual([]);
  });

  test("go when they are given up, and their generation is not used again", async () => {
    value(await table.startTrial(denying(81), 60));
    value(await table.giveUp());
    expect(whoIsDenied()).toEqual([80]);
    expect(ends).toEqual(["given up"]);
    expect(tables()).toBe("table inet tierwall");
    expect(await table.apply(denying(80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", generation: 1 },
    });
    expect(await table.apply(denying(82))).toMatchObject({
      ok: true,
      value: { kind: "changed", generation: 3 },
    });
  });

  test("are removed when their time is up", async () => {
    value(await table.startTrial(denying(81), 1));
    while (ends.length === 0) await sleep(20);
    expect(ends).toEqual(["expired"]);
    expect(whoIsDenied()).toEqual([80]);
    expect(tables()).toBe("table inet tierwall");
    expect(await table.confirm()).toEqual({
      ok: false,
      message: "no rules are on trial: the trial ended or expired",
    });
  });

  test("no other rules are applied meanwhile, and no second trial begins", async () => {
    value(await table.startTrial(denying(81), 60));
    expect(await table.apply(denying(82))).toMatchObject({ ok: false });
    expect(await table.startTrial(denying(82), 60)).toMatchObject({ ok: false });
    expect(whoIsDenied()).toEqual([81]);
  });

  test("what is learned meanwhile is learned by both tables", async () => {
    value(await table.startTrial(denying(81), 60));
    const key = "10.0.0.1 . 192.0.2.1";
    const renewed = { kind: "renew", set: "names", element: { key, milliseconds: 60_000 } } as const;
    value(await table.changeElements(({ name }) => changesText([renewed], name)));
    for (const name of ["tierwall", "tierwall-b"]) {
      expect(node.run("nft", "list", "set", "inet", name, "names")).toContain(key);
    }
  });

  test("the kernel goes back without an agent", async () => {
    value(await table.startTrial(denying(81), 10));
    await table.close();
    expect(whoIsDenied()).toEqual([81]);
    while (whoIsDenied().includes(81)) await sleep(50);
    expect(whoIsDenied()).toEqual([80]);
    expect(tables()).toBe("table inet tierwall\ntable inet tierwall-b");
    await open();
    expect(tables()).toBe("table inet tierwall");
    expect(whoIsDenied()).toEqual([80]);
    expect(await table.apply(denying(80))).toMatchObject({
      ok: true,
      value: { kind: "unchanged", generation: 1 },
    });
    expect(await table.apply(denying(82))).toMatchObject({
      ok: true,
      value: { kind: "changed", generation: 3 },
    });
  });

  test("an agent that starts again within a trial goes back", async () => {
    value(await table.startTrial(denying(81), 60));
    await table.close();
    await open();
    expect(whoIsDenied()).toEqual([80]);
    expect(tables()).toBe("table inet tierwall");
  });

  test("are lost when another process changes a table meanwhile", async () => {
    value(await table.startTrial(denying(81), 60));
    node.load("flush ruleset\n");
    while (ends.length === 0) await sleep(20);
    value(await table.verify());
    expect(ends).toEqual(["lost"]);
    expect(whoIsDenied()).toEqual([80]);
  });
});

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}
