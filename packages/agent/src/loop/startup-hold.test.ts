import { parseCidr } from "@tierwall/core/model";
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { FrameOf } from "../kernel/kernel-table.js";
import type { NodeOptions } from "../ruleset/program.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { knownPods } from "../ruleset/vocabulary.js";
import { StartupHold } from "./startup-hold.js";
import { plainOptions } from "../../testing/node-world.js";

const cidr = (text: string) => parseCidr(text)!;

const options: NodeOptions = { ...plainOptions, node: "n1" };

/** A kernel that holds what it was given last. */
function setup(
  given: Partial<NodeOptions> = {},
  remembered: readonly string[] = [],
  held?: Ruleset,
  doubted = false,
) {
  const said: string[] = [];
  const kept: string[][] = [];
  const kernel = { held, writes: 0 };
  const holding = new StartupHold({
    table: {
      applyBefore: (frameOf: FrameOf, isWanted) => {
        if (!isWanted(kernel.held)) return Promise.resolve({ ok: true, value: undefined });
        kernel.held = frameOf(1, "second");
        kernel.writes++;
        const milliseconds = { compute: 0, nft: 0 };
        return Promise.resolve({
          ok: true,
          value: { kind: "swapped", table: "tierwall-b", generation: 1, milliseconds },
        });
      },
    },
    options: { ...options, ...given },
    memory: {
      ranges: remembered.map(cidr),
      doubted,
      keep: (ranges) => kept.push(ranges.map(({ prefix }) => `/${prefix}`)),
    },
    log: pino({}, { write: (line) => said.push((JSON.parse(line) as { msg: string }).msg) }),
    warnAfter: 1_000,
  });
  const forward = () => kernel.held?.chains.get("forward")?.rules.join("\n");
  return { holding, kernel, said, kept, forward };
}

/** The table of a node that knows these. */
async function tableOf(...addresses: readonly string[]): Promise<Ruleset> {
  const { holding, kernel } = setup({ localRanges: [cidr("10.0.0.0/24")] });
  await holding.begin();
  const held = kernel.held!;
  const elements = new Map(addresses.map((address) => [address, ""]));
  return {
    ...held,
    sets: new Map([...held.sets, [knownPods[4], { ...held.sets.get(knownPods[4])!, elements }]]),
  };
}

describe("until the first rules", () => {
  it("pods of a node with configured ranges are denied, and no other ranges are used", async () => {
    const { holding, kernel, forward, kept } = setup({ localRanges: [cidr("10.0.0.0/24")] }, ["10.9.0.0/16"]);
    await holding.begin();
    expect(forward()).toContain("ip saddr 10.0.0.0/24 ip saddr != @known4 goto unknown_egress");
    await holding.nodeSeen("n1", ["10.1.0.0/24"]);
    holding.over([cidr("10.0.0.0/24")], false);
    expect([kernel.writes, kept]).toEqual([1, [["/24"]]]);
  });

  it("remembered ranges are used, then those of the Node", async () => {
    const { holding, kernel, forward, kept } = setup({}, ["10.0.0.0/24"]);
    await holding.begin();
    expect(forward()).toContain("10.0.0.0/24");
    await holding.nodeSeen("n2", ["10.2.0.0/24"]);
    await holding.nodeSeen("n1", ["10.0.0.0/24"]);
    expect(kernel.writes).toBe(1);
    await holding.nodeSeen("n1", ["10.1.0.0/25"]);
    expect(forward()).toContain("10.1.0.0/25");
    expect(forward()).not.toContain("10.0.0.0/24");
    holding.over([cidr("10.1.0.0/25")], false);
    await holding.nodeSeen("n1", ["10.3.0.0/24"]);
    expect([kernel.writes, kept]).toEqual([2, [["/25"]]]);
  });

  it("nothing is written without a known range, if unknown pods are allowed, and in shadow mode", async () => {
    const range = { localRanges: [cidr("10.0.0.0/24")] };
    for (const given of [{}, { ...range, unknownPods: "allow" }, { ...range, shadow: true }] as const) {
      const { holding, kernel, said } = setup(given);
      await holding.begin();
      expect([kernel.writes, said]).toEqual([0, []]);
    }
  });

  it("ranges that pods contradicted before deny nothing, unless they have changed", async () => {
    const { holding, kernel } = setup({}, ["10.0.0.0/24"], undefined, true);
    await holding.begin();
    await holding.nodeSeen("n1", ["10.0.0.0/24"]);
    expect(kernel.writes).toBe(0);
    await holding.nodeSeen("n1", ["10.1.0.0/24"]);
    expect(kernel.writes).toBe(1);
  });

  it("a table with a known pod stays, and one without is replaced according to the options", async () => {
    const known = await tableOf("10.0.0.5");
    const withoutPods = await tableOf();
    const range = { localRanges: [cidr("10.0.0.0/24")] };
    const stays = setup({ ...range, unknownPods: "allow" }, [], known);
    await stays.holding.begin();
    expect(stays.kernel.writes).toBe(0);
    const gives = setup({ ...range, unknownPods: "allow" }, [], withoutPods);
    await gives.holding.begin();
    expect([gives.kernel.held?.chains.size, gives.said]).toEqual([0, []]);
    const rangeless = setup({}, [], withoutPods);
    await rangeless.holding.begin();
    expect(rangeless.kernel.writes).toBe(0);
  });

  it("the log says that pods are denied, and after a while what to do", async () => {
    vi.useFakeTimers();
    try {
      const { holding, said } = setup({ localRanges: [cidr("10.0.0.0/24")] });
      await holding.begin();
      expect(said).toEqual([expect.stringContaining("denied until their rules are known")]);
      vi.advanceTimersByTime(1_000);
      expect(said[1]).toMatch(/--unknown-pods allow.*--cleanup/);
      const other = setup({ localRanges: [cidr("10.0.0.0/24")] });
      await other.holding.begin();
      other.holding.over([], false);
      vi.advanceTimersByTime(5_000);
      expect(other.said).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
