import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { expectReached, reachedAt } from "./reached.js";
import { RunningAgent, runFlags } from "./running-agent.js";

/* `tierwall agent` as users run it, on a node that is a network namespace, with real packets. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

// Processes start slowly on a busy machine; each test starts a few.
vi.setConfig({ testTimeout: 1_200_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

/** Pods a and b, and b reached by a on 8080 alone. */
async function labOfTwo(policy = ingressOfB([8080])): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/policy.yaml", policy);
  return lab;
}

/** Pod a reaches these ports of pod b, and no others. */
const expectReachedIn = (node: NodeLab, ports: readonly number[]) =>
  expectReached(node, node.addressOf("b"), ports);

/** For what follows a change by itself, sooner or later. */
async function eventually<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const got = await ask();
    if (JSON.stringify(got) === JSON.stringify(wanted) || Date.now() > deadline)
      return expect(got).toEqual(wanted);
    await new Promise((next) => setTimeout(next, 50));
  }
}

describe.skipIf(reason)(`packets follow the files that an agent watches${title}`, () => {
  it("from the first rules through every change, and stay allowed without policies", async () => {
    const node = await labOfTwo();
    await expectReachedIn(node, [8080, 9090]);
    const agent = await RunningAgent.ready(node);
    await expectReachedIn(node, [8080]);
    for (const ports of [[9090], [], [8080, 9090]]) {
      node.write("manifests/policy.yaml", ingressOfB(ports));
      await agent.says("rules are in the kernel");
      await expectReachedIn(node, ports);
    }
    node.remove("manifests/policy.yaml");
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [8080, 9090]);
    expect(await agent.stop()).toBe(0);
  });

  it(
    "also in connections that were open before: cut when denied, left alone when not",
    onlyInFull,
    async () => {
      const node = await labOfTwo(ingressOfB([8080, 9090]));
      const agent = await RunningAgent.ready(node);
      const talkers = [8080, 9090].map((port) => node.talk("a", node.addressOf("b"), port));
      await Promise.all(talkers.map((talker) => talker.echo()));
      node.write("manifests/policy.yaml", ingressOfB([8080]));
      await agent.says("rules are in the kernel");
      await talkers[0]!.echo();
      await eventually(() => talkers[1]!.isSilent(), true);
      await talkers[0]!.echo();
    },
  );

  it(
    "also in connections that were open before the first policy, and after the last one is gone",
    onlyInFull,
    async () => {
      const node = await labOfTwo("");
      const agent = await RunningAgent.ready(node);
      const talkers = [8080, 9090].map((port) => node.talk("a", node.addressOf("b"), port));
      await Promise.all(talkers.map((talker) => talker.echo()));
      node.write("manifests/policy.yaml", ingressOfB([8080]));
      expect(await agent.says("rules are in the kernel")).toMatchObject({ wrote: "difference" });
      await talkers[0]!.echo();
      await eventually(() => talkers[1]!.isSilent(), true);
      node.remove("manifests/policy.yaml");
      expect(await agent.says("rules are in the kernel")).toMatchObject({ wrote: "difference" });
      await Promise.all(talkers.map((talker) => talker.echo()));
    },
  );

  it("not while a file is broken: the last good rules stay, and it says so", async () => {
    const node = await labOfTwo();
    const agent = await RunningAgent.ready(node);
    node.write("manifests/policy.yaml", ingressOfB([9090]).replace("podSelector:", "podselector:"));
    await agent.says("policy.yaml");
    await expectReachedIn(node, [8080]);
    node.write("manifests/policy.yaml", ingressOfB([9090]));
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [9090]);
  });
});

describe.skipIf(reason)(`an agent that ends, however it ends${title}`, () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("by %s leaves its rules", async (signal) => {
    const node = await labOfTwo();
    const agent = await RunningAgent.ready(node);
    await agent.stop(signal);
    await expectReachedIn(node, [8080]);
  });

  it.each([
    ["rules", ingressOfB([8080]), [8080]],
    ["no rules", "", [8080, 9090]],
  ])("and starts again with %s writes nothing where nothing changed", onlyInFull, async (_, policy, open) => {
    const node = await labOfTwo(policy);
    const killed = await RunningAgent.ready(node);
    await killed.stop("SIGKILL");
    const monitor = node.start("node", "nft", ["monitor"]);
    const events: string[] = [];
    monitor.stdout!.on("data", (text: Buffer) => events.push(text.toString()));
    const agent = RunningAgent.start(node);
    expect(await agent.says("rules are in the kernel")).toMatchObject({ wrote: "nothing" });
    await expectReachedIn(node, open);
    await agent.stop();
    expect(events.join("")).toBe("");
  });

  it("and starts again after a change puts it into the kernel", onlyInFull, async () => {
    const node = await labOfTwo();
    await (await RunningAgent.ready(node)).stop("SIGKILL");
    node.write("manifests/policy.yaml", ingressOfB([9090]));
    await RunningAgent.ready(node);
    await expectReachedIn(node, [9090]);
  });

  it("is followed by --cleanup, which removes everything of Tierwall and nothing else", async () => {
    const node = await labOfTwo();
    node.nft("add", "table", "inet", "other");
    await (await RunningAgent.ready(node)).stop("SIGKILL");
    const cleanup = RunningAgent.start(node, "--cleanup");
    expect([await cleanup.exit, cleanup.said]).toEqual([0, ""]);
    expect(node.nft("list", "ruleset").trim()).toBe("table inet other {\n}");
    await expectReachedIn(node, [8080, 9090]);
  });
});

describe.skipIf(reason)(`an agent is not alone in the kernel${title}`, () => {
  it.each([
    ["flushes everything", ["flush", "ruleset"]],
    ["deletes the table", ["delete", "table", "inet", "tierwall"]],
    ["empties a base chain", ["flush", "chain", "inet", "tierwall", "forward"]],
  ])("and repairs its table when another process %s", onlyInFull, async (_, command) => {
    const node = await labOfTwo();
    const agent = await RunningAgent.ready(node);
    node.nft(...command);
    await agent.says("repaired");
    await expectReachedIn(node, [8080]);
  });

  it("and two that are started at once: one refuses, the other enforces", async () => {
    const node = await labOfTwo();
    const agents = [RunningAgent.start(node), RunningAgent.start(node)];
    const [refused, other] = await Promise.race(
      agents.map(async (agent, i) => [await agent.exit, agents[1 - i]!, agent.said] as const),
    ).then(([status, left, said]) => [{ status, said }, left] as const);
    expect(refused).toEqual({ status: 2, said: expect.stringContaining("another agent") as unknown });
    await other.says("rules are in the kernel");
    const cleanup = RunningAgent.start(node, "--cleanup");
    expect([await cleanup.exit, cleanup.said]).toEqual([1, expect.stringContaining("another agent")]);
    await expectReachedIn(node, [8080]);
  });
});

describe.skipIf(reason)(`shadow${title}`, () => {
  it("of a node drops nothing, and rules are enforced when it is over", onlyInFull, async () => {
    const node = await labOfTwo(ingressOfB([]));
    const shadow = await RunningAgent.ready(node, "--shadow");
    await expectReachedIn(node, [8080, 9090]);
    await shadow.stop();
    await RunningAgent.ready(node);
    await expectReachedIn(node, []);
  });

  it("of a policy drops nothing, and ends in one transaction when the annotation goes", async () => {
    const node = await labOfTwo(ingressOfB([8080], { "tierwall.dev/enforcement": "shadow" }));
    const agent = await RunningAgent.ready(node);
    await expectReachedIn(node, [8080, 9090]);
    node.write("manifests/policy.yaml", ingressOfB([8080]));
    expect(await agent.says("rules are in the kernel")).toMatchObject({ wrote: "difference" });
    await expectReachedIn(node, [8080]);
  });
});

describe.skipIf(reason)(`a pod that is not known yet${title}`, () => {
  it("is held back in both directions until its rules are there, but never from its own node", async () => {
    const node = await labOfTwo("");
    const agent = await RunningAgent.ready(node);
    await node.addPod("c", "10.9.0.13");
    const ways = () =>
      Promise.all([
        node.reaches("a", node.addressOf("c"), 8080),
        node.reaches("c", node.addressOf("a"), 8080),
      ]);
    const fromNode = () => node.reaches("node", node.addressOf("c"), 8080);
    expect(await ways()).toEqual([false, false]);
    await expect.poll(fromNode).toBe(true);
    node.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"], ["c", "10.9.0.13"]));
    expect(await agent.says("rules are in the kernel")).toMatchObject({ newPods: 1 });
    await expect.poll(ways).toEqual([true, true]);
    await expect.poll(fromNode).toBe(true);
  });

  it("is allowed with --unknown-pods allow", onlyInFull, async () => {
    const node = await labOfTwo("");
    await RunningAgent.ready(node, "--unknown-pods", "allow");
    await node.addPod("c", "10.9.0.13");
    await expect.poll(() => node.reaches("a", node.addressOf("c"), 8080)).toBe(true);
  });
});

describe.skipIf(reason)(`a pod that spoofs its address${title}`, () => {
  const asks = (node: NodeLab) => node.nft("list", "table", "inet", "tierwall").includes("chain forged {");

  it("is found out by a kernel that knows the way back", onlyInFull, async () => {
    const node = await labOfTwo();
    const agent = await RunningAgent.ready(node);
    expect(asks(node)).toBe(true);
    expect(agent.said).not.toContain("through which device");
    await expectReachedIn(node, [8080]);
  });

  it(
    "is not detected by a kernel without the check, which is logged; rules hold anyway",
    onlyInFull,
    async () => {
      const node = await labOfTwo();
      const nft = node.run("node", "which", "nft").trim();
      node.write("bin/nft", `#!/bin/sh\n[ "$1" = -c ] && exit 1\nexec ${nft} "$@"\n`);
      node.run("node", "chmod", "+x", `${node.folder}/bin/nft`);
      const path = { PATH: `${node.folder}/bin:${process.env["PATH"]}` };
      const agent = new RunningAgent(node.tierwallWith(path, "agent", ...runFlags(node)));
      await agent.says("cannot check through which device an address is reached");
      await agent.says("rules are in the kernel");
      expect(asks(node)).toBe(false);
      await expectReachedIn(node, [8080]);
    },
  );
});

describe.skipIf(reason)(`rules on trial${title}`, () => {
  const trial = (node: NodeLab, ...more: readonly string[]) =>
    new RunningAgent(node.tierwall("agent", "apply", ...runFlags(node), ...more));
  const send = async (node: NodeLab, action: string) => {
    const child = node.tierwall("agent", action, "--control", node.control);
    const [status] = (await once(child, "exit")) as [number];
    return status;
  };

  /** The kernel has rules that allow 8080; the files now say 9090. */
  async function labOnTrial(): Promise<NodeLab> {
    const node = await labOfTwo();
    await (await RunningAgent.ready(node)).stop();
    node.write("manifests/policy.yaml", ingressOfB([9090]));
    return node;
  }

  it("are removed if they are not confirmed in time", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "8s");
    await applied.says("on trial");
    await expectReachedIn(node, [9090]);
    expect(await applied.exit).toBe(1);
    await expectReachedIn(node, [8080]);
  });

  it("can be asked about meanwhile", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "60s");
    await applied.says("on trial");
    const asked = new RunningAgent(node.tierwall("agent", "status", "--control", node.control, "-o", "json"));
    await asked.exit;
    expect(JSON.parse(asked.output.join("\n"))).toMatchObject({
      node: "n1",
      pods: { programmed: 2, waiting: 0 },
      policies: 1,
      rules: 2,
      lastApply: { wrote: "whole table" },
      trial: { until: expect.stringMatching(/^\d{4}-/) as string },
      source: [{ ok: true, state: "read once" }],
    });
    await applied.stop();
  });

  it("are doubted where no pod of the node is known", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "2s", "--node", "n9");
    await applied.says("there is no node n9");
    expect(await applied.exit).toBe(1);
  });

  it("stay if they are confirmed", async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "60s");
    await applied.says("on trial");
    expect(await send(node, "confirm")).toBe(0);
    expect(await applied.exit).toBe(0);
    await expectReachedIn(node, [9090]);
  });

  it("are removed at once if they are given up", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "60s");
    await applied.says("on trial");
    expect(await send(node, "give-up")).toBe(0);
    expect(await applied.exit).toBe(1);
    await expectReachedIn(node, [8080]);
  });

  it("go by the kernel itself when the process that could take them back is killed", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "2s");
    await applied.says("on trial");
    await applied.stop("SIGKILL");
    await eventually(() => reachedAt(node, node.addressOf("b")), [8080]);
  });

  it("do not begin with files that have errors", onlyInFull, async () => {
    const node = await labOnTrial();
    node.write("manifests/policy.yaml", "kind: NetworkPolicy\napiVersion: networking.k8s.io/v1\n");
    const applied = trial(node, "--confirm", "1h");
    expect(await applied.exit).toBe(2);
    expect(applied.said).toContain("policy.yaml");
    await expectReachedIn(node, [8080]);
  });

  it("leave no rules where there were none before", onlyInFull, async () => {
    const node = await labOfTwo();
    const applied = trial(node, "--confirm", "8s");
    await applied.says("on trial");
    await expectReachedIn(node, [8080]);
    expect(await applied.exit).toBe(1);
    await expectReachedIn(node, [8080, 9090]);
    expect(node.nft("list", "tables")).toBe("");
  });

  it("go at once when a guard fails", onlyInFull, async () => {
    const node = await labOnTrial();
    const applied = trial(node, "--confirm", "1h", "--guard", "tcp://10.9.0.1:1");
    expect(await applied.exit).toBe(1);
    expect(applied.said).toContain("tcp://10.9.0.1:1");
    await expectReachedIn(node, [8080]);
  });
});

describe.skipIf(reason)(`what an agent says of itself${title}`, () => {
  it("can be asked over its socket, and by Prometheus", async () => {
    const node = await labOfTwo();
    const agent = await RunningAgent.ready(node);
    await reachedAt(node, node.addressOf("b"));
    const asked = new RunningAgent(node.tierwall("agent", "status", "--control", node.control, "-o", "json"));
    expect(await asked.exit).toBe(0);
    expect(JSON.parse(asked.output.join("\n"))).toMatchObject({
      node: "n1",
      table: "tierwall",
      generation: 2,
      shadow: false,
      pods: { programmed: 2, waiting: 0 },
      policies: 1,
      rules: 2,
      lastApply: { wrote: "whole table" },
    });
    const hits = new RunningAgent(node.tierwall("hits", "--control", node.control));
    expect([await hits.exit, hits.output.join("\n")]).toEqual([
      0,
      expect.stringMatching(/isolation +Deny +\d+ packets/),
    ]);
    const metrics = node.get("http://127.0.0.1:9465/metrics");
    expect(metrics).toMatch(
      /^tierwall_rule_packets_total\{policy="NetworkPolicy shop\/b",rule="isolation",direction="ingress",verdict="Deny"\} [1-9]/m,
    );
    expect(metrics).toMatch(/^tierwall_pods\{state="programmed"\} 2$/m);
    expect(node.get("http://127.0.0.1:9465/readyz")).toBe("ok\n");
    expect(await agent.stop()).toBe(0);
  });

  it("is nothing where none runs, and that is said", onlyInFull, async () => {
    const node = await labOfTwo();
    const status = new RunningAgent(node.tierwall("agent", "status", "--control", node.control));
    expect(await status.exit).toBe(1);
    expect(status.said).toContain("no agent listens");
  });
});
