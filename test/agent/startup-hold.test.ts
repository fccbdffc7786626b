import { afterEach, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { expectReached } from "./reached.js";
import { RunningAgent, runFlags } from "./running-agent.js";

/* A node whose kernel has no rules yet, and an agent that cannot read what they should be. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout: 1_200_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

const broken = ingressOfB([8080]).replace("podSelector:", "podselector:");
const podRange = "podCIDRs: [10.9.0.0/24]";

/** Pods a and b, an address outside of the range, and files with an error. */
async function freshNode(): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12", out: "10.8.0.1" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/policy.yaml", broken);
  return lab;
}

/** Between pods, in from outside, out to there and to the node, and from the node. */
const ways = (node: NodeLab) =>
  Promise.all([
    node.reaches("a", node.addressOf("b"), 8080),
    node.reaches("out", node.addressOf("a"), 8080),
    node.reaches("a", node.addressOf("out"), 8080),
    node.reaches("node", node.addressOf("a"), 8080),
  ]);
async function expectWays(node: NodeLab, wanted: readonly boolean[]): Promise<void> {
  await expect.poll(() => ways(node), { timeout: 300_000 }).toEqual(wanted);
}
const denied = [false, false, false, true];
const allowed = [true, true, true, true];

async function held(node: NodeLab, ...more: readonly string[]): Promise<RunningAgent> {
  const agent = RunningAgent.start(node, ...more);
  await agent.says("the files have errors");
  return agent;
}

describe.skipIf(reason)(`before the first rules of a node that was just started${title}`, () => {
  it("its pods are denied, except to the node itself, until there are rules", async () => {
    const node = await freshNode();
    await expectWays(node, allowed);
    const agent = await held(node);
    expect(await ways(node)).toEqual(denied);
    expect((await agent.says("still no rules")).msg).toMatch(/--unknown-pods allow.*--cleanup/);
    node.write("manifests/policy.yaml", ingressOfB([8080]));
    expect(await agent.says("rules are in the kernel")).toMatchObject({
      wrote: "whole table",
      table: "tierwall",
      newPods: 2,
    });
    expect(node.nft("list", "tables")).toBe("table inet tierwall\n");
    await expectReached(node, node.addressOf("b"), [8080]);
    await new RunningAgent(node.tierwall("hits", "--control", node.control)).exit;
    expect(node.get("http://127.0.0.1:9465/metrics")).toMatch(
      /^tierwall_unknown_pod_dropped_packets_total\{direction="egress"\} [1-9]/m,
    );
  });

  it("connections that were open before go on", onlyInFull, async () => {
    const node = await freshNode();
    // As where kube-proxy or a network plugin had connections tracked.
    node.nft("add table inet other; add chain inet other seen { type filter hook forward priority 0 ; }");
    node.nft("add rule inet other seen ct state new counter");
    const talker = node.talk("a", node.addressOf("b"), 8080);
    await talker.echo();
    await held(node);
    expect(await ways(node)).toEqual(denied);
    await talker.echo();
  });

  it("an agent that is restarted finds them denied, and writes nothing", onlyInFull, async () => {
    const node = await freshNode();
    await (await held(node)).stop("SIGKILL");
    expect(await ways(node)).toEqual(denied);
    const monitor = node.start("node", "nft", ["monitor"]);
    const events: string[] = [];
    monitor.stdout!.on("data", (text: Buffer) => events.push(text.toString()));
    const agent = await held(node);
    expect(await ways(node)).toEqual(denied);
    await agent.stop();
    expect(events.join("")).toBe("");
  });

  it.each([["--unknown-pods", "allow"], ["--shadow"]])(
    "%s allows them, also those that an earlier agent denied",
    async (...flags) => {
      const node = await freshNode();
      const allowing = RunningAgent.start(node, ...flags);
      await allowing.says("the files have errors");
      await expectWays(node, allowed);
      expect(node.nft("list", "tables")).toBe("");
      await allowing.stop();
      await (await held(node)).stop();
      expect(await ways(node)).toEqual(denied);
      const again = RunningAgent.start(node, ...flags);
      await again.says("the files have errors");
      await expectWays(node, allowed);
      node.write("manifests/policy.yaml", ingressOfB([8080]));
      await again.says("rules are in the kernel");
    },
  );

  it("--cleanup lets them pass, too", onlyInFull, async () => {
    const node = await freshNode();
    await (await held(node)).stop();
    const cleanup = RunningAgent.start(node, "--cleanup");
    expect([await cleanup.exit, cleanup.said]).toEqual([0, ""]);
    await expectWays(node, allowed);
    expect(node.nft("list", "ruleset")).toBe("");
  });

  it("rules can be tried, and after giving them up pods are denied as before", onlyInFull, async () => {
    const node = await freshNode();
    await (await held(node)).stop();
    node.write("manifests/policy.yaml", ingressOfB([8080]));
    const onTrial = async () => {
      const trial = new RunningAgent(node.tierwall("agent", "apply", ...runFlags(node), "--confirm", "1h"));
      await trial.says("on trial");
      await expectReached(node, node.addressOf("b"), [8080]);
      return trial;
    };
    expect(await (await onTrial()).stop()).toBe(1);
    expect(await ways(node)).toEqual(denied);
    const trial = await onTrial();
    await new RunningAgent(node.tierwall("agent", "confirm", "--control", node.control)).exit;
    expect(await trial.exit).toBe(0);
    await expectReached(node, node.addressOf("b"), [8080]);
    const agent = RunningAgent.start(node);
    expect(await agent.says("rules are in the kernel")).toMatchObject({ wrote: "nothing" });
    expect(agent.said).not.toContain("denied until their rules");
  });

  it("an agent that refuses to start has written nothing", onlyInFull, async () => {
    const node = await freshNode();
    const agent = RunningAgent.start(node, "--metrics-address", "nowhere");
    expect(await agent.exit).toBe(2);
    expect(node.nft("list", "tables")).toBe("");
  });

  it("rules that are there stay, whatever the files say meanwhile", onlyInFull, async () => {
    const node = await freshNode();
    node.write("manifests/policy.yaml", ingressOfB([8080]));
    await (await RunningAgent.ready(node)).stop();
    node.write("manifests/policy.yaml", broken);
    const agent = RunningAgent.start(node);
    await agent.says("the files have errors");
    await expectReached(node, node.addressOf("b"), [8080]);
    expect(agent.said).not.toContain("denied until their rules");
  });

  it("the ranges of its Node are remembered, from before it was started again", onlyInFull, async () => {
    const node = await freshNode();
    const known = pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]);
    node.write(
      "manifests/pods.yaml",
      known.replace("status: {addresses", `spec: {${podRange}}\nstatus: {addresses`),
    );
    node.write("manifests/policy.yaml", "");
    const flags = runFlags(node).filter((flag) => flag !== "--pod-range" && flag !== "10.9.0.0/24");
    const agent = (...more: readonly string[]) => new RunningAgent(node.tierwall("agent", ...flags, ...more));
    const first = agent();
    await first.says("rules are in the kernel");
    expect(first.said).not.toContain("denied until their rules");
    await first.stop();
    await agent("--cleanup").exit;
    node.write("manifests/policy.yaml", broken);
    await expectWays(node, allowed);
    const second = agent();
    expect(await second.says("denied until their rules")).toMatchObject({ podRanges: ["10.9.0.0/24"] });
    expect(await ways(node)).toEqual(denied);
    await second.stop();
    await agent("--cleanup").exit;
    const renamed = agent("--node", "n2");
    await renamed.says("the files have errors");
    await expectWays(node, allowed);
  });
});
