import { afterEach, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";

/* What happens to unknown pods when the agent does not return: an uninstall, or a node on which it never starts again. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const patience = { timeout: 60_000, interval: 200 };

vi.setConfig({ testTimeout: 180_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

/** Pod a is known, pod `late` has an address of the node's range, and no object. */
async function withLatePod(policy = ingressOfB([8080])): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12", late: "10.9.0.13", out: "10.8.0.1" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/policy.yaml", policy);
  return lab;
}

/** Into the late pod, out of it, and what a policy denies to a pod that is known. */
const ways = async (node: NodeLab) => ({
  in: await node.reaches("a", node.addressOf("late"), 8080),
  out: await node.reaches("late", node.addressOf("out"), 8080),
  denied: await node.reaches("a", node.addressOf("b"), 9090),
});
const heldBack = { in: false, out: false, denied: false };
const passing = { in: true, out: true, denied: false };

/** Milliseconds that are left of what says that an agent is there; 0 where nothing says so. */
function left(node: NodeLab): number {
  const listed = node.nft("list", "set", "inet", "tierwall", "present");
  const [, time = ""] = /expires (\w+)/.exec(listed) ?? [];
  const [, minutes = "0", seconds = "0", rest = "0"] =
    /^(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(time) ?? [];
  return Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(rest);
}

const soon = ["--unknown-pods-after", "4s:allow"];

describe.skipIf(reason)(`an agent that is gone${title}`, () => {
  it("leaves unknown pods denied, by default", async () => {
    const node = await withLatePod();
    await (await RunningAgent.ready(node)).stop("SIGKILL");
    expect(node.nft("list", "ruleset")).not.toContain("present");
    expect(await ways(node)).toEqual(heldBack);
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "by %s for as long as was said lets unknown pods pass; everything else is enforced as before",
    async (signal) => {
      const node = await withLatePod();
      const agent = await RunningAgent.ready(node, ...soon);
      expect(await ways(node)).toEqual(heldBack);
      await agent.stop(signal);
      await expect.poll(() => ways(node), patience).toEqual(passing);
      const again = await RunningAgent.ready(node, ...soon);
      expect(await ways(node)).toEqual(heldBack);
      await again.stop();
    },
  );

  it("lets them pass on a node without rules, too", onlyInFull, async () => {
    const node = await withLatePod("apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n");
    const agent = await RunningAgent.ready(node, ...soon);
    expect(await ways(node)).toEqual({ ...heldBack, denied: true });
    await agent.stop("SIGKILL");
    await expect.poll(() => ways(node), patience).toEqual({ ...passing, denied: true });
  });

  it("is never gone while it runs: what says so is renewed", onlyInFull, async () => {
    const node = await withLatePod();
    await RunningAgent.ready(node, "--unknown-pods-after", "60s:allow");
    const before = left(node);
    expect(before).toBeGreaterThan(0);
    // It only ever shrinks by itself.
    let last = before;
    await expect
      .poll(() => {
        const now = left(node);
        const grew = now > last;
        last = now;
        return grew;
      }, patience)
      .toBe(true);
    expect(await ways(node)).toEqual(heldBack);
  });

  it("and a new table has the element from the start", onlyInFull, async () => {
    const node = await withLatePod();
    const agent = await RunningAgent.ready(node, "--unknown-pods-after", "1h:allow");
    node.nft("flush", "ruleset");
    await agent.says("repaired");
    expect(await ways(node)).toEqual(heldBack);
    expect(node.nft("list", "table", "inet", "tierwall-b")).toMatch(/set present \{[^}]*expires/);
  });

  it("says in its status what will happen", onlyInFull, async () => {
    const node = await withLatePod();
    await RunningAgent.ready(node, "--unknown-pods-after", "10m:allow");
    const status = new RunningAgent(node.tierwall("agent", "status", "--control", node.control));
    await status.exit;
    expect(status.output.join("\n")).toMatch(/unknown pods +denied; allowed after no agent has run for 10m/);
  });
});

describe.skipIf(reason)(`--cleanup${title}`, () => {
  it("needs no API server and no files, and is done where nothing is left", async () => {
    const node = await withLatePod();
    await (await RunningAgent.ready(node, ...soon)).stop("SIGKILL");
    for (let i = 0; i < 2; i++) {
      const cleanup = new RunningAgent(
        node.tierwall("agent", "--cleanup", "--kubeconfig", "/does/not/exist"),
      );
      expect([await cleanup.exit, cleanup.said]).toEqual([0, ""]);
      expect(node.nft("list", "ruleset")).toBe("");
    }
    await expect.poll(() => ways(node), patience).toEqual({ in: true, out: true, denied: true });
  });
});
