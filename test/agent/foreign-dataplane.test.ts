import { afterEach, describe, expect, it, vi } from "vitest";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { expectReached } from "./reached.js";
import { RunningAgent } from "./running-agent.js";

/* What other programs do to packets on the node, in addition to the rules of the agent. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout: 180_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

async function freshNode(): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/policy.yaml", ingressOfB([8080]));
  return lab;
}

/** As kube-proxy has it in IPVS mode; it would be a dummy, which not every kernel has. */
const addIpvs = (node: NodeLab) => node.run("node", "ip", "link", "add", "kube-ipvs0", "type", "bridge");
const ready = (node: NodeLab) =>
  node.run(
    "node",
    process.execPath,
    "-e",
    'fetch("http://127.0.0.1:9465/readyz").then(async (answer) => console.log(answer.status, await answer.text()))',
  );

describe.skipIf(reason)(`kube-proxy in IPVS mode${title}`, () => {
  it("makes the agent refuse to start, with status 2 and what to do, and nothing is written", async () => {
    const node = await freshNode();
    addIpvs(node);
    const agent = RunningAgent.start(node);
    expect(await agent.exit).toBe(2);
    expect(agent.said).toMatch(
      /kube-proxy is in IPVS mode .*kube-ipvs0.* switch kube-proxy to the mode nftables/,
    );
    expect(node.nft("list", "tables")).toBe("");
  });

  it("does not keep the rules from being removed", async () => {
    const node = await freshNode();
    await (await RunningAgent.ready(node)).stop();
    addIpvs(node);
    expect(await new RunningAgent(node.tierwall("agent", "--cleanup")).exit).toBe(0);
    expect(node.nft("list", "tables")).toBe("");
  });

  it("that comes while the agent runs is reported, and the agent is not ready until it is gone", async () => {
    const node = await freshNode();
    const agent = await RunningAgent.ready(node);
    expect(ready(node)).toBe("200 ok\n\n");
    addIpvs(node);
    expect(await agent.says("kube-proxy is in IPVS mode")).toMatchObject({ problem: "ipvs", level: "error" });
    expect(ready(node)).toMatch(/^503 kube-proxy is in IPVS mode/);
    expect(node.get("http://127.0.0.1:9465/metrics")).toMatch(/^tierwall_node_problem\{kind="ipvs"\} 1$/m);
    // The rules that there are stay.
    await expectReached(node, node.addressOf("b"), [8080]);
    node.run("node", "ip", "link", "del", "kube-ipvs0");
    await agent.says("resolved:");
    expect(ready(node)).toBe("200 ok\n\n");
  });
});

describe.skipIf(reason)(`pods that share an address${title}`, () => {
  it("are reported in the log, the metrics and the status", async () => {
    const node = await freshNode();
    node.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"], ["old", "10.9.0.12"]));
    const agent = await RunningAgent.ready(node);
    expect(agent.said).toMatch(/several pods report the same address: 10\.9\.0\.12 \(shop\/b, shop\/old\)/);
    expect(node.get("http://127.0.0.1:9465/metrics")).toMatch(
      /^tierwall_node_problem\{kind="shared-addresses"\} 1$/m,
    );
    const status = new RunningAgent(node.tierwall("agent", "status", "--control", node.control));
    await status.exit;
    expect(status.output.join("\n")).toContain("10.9.0.12 (shop/b, shop/old)");
    // S1.17: shop/old is open, and shop/b is not.
    await expectReached(node, node.addressOf("b"), [8080]);
    node.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
    await agent.says("resolved:");
  });
});

describe.skipIf(reason)(`the lock of the agent${title}`, () => {
  it("is not taken by a process without rights in the network of the node", async () => {
    const node = await freshNode();
    const script =
      'require("net").createServer().listen({ path: "\\0tierwall/tierwall" }, () => console.log("held"))';
    const stranger = node.start("node", "setpriv", [
      "--reuid=65534",
      "--clear-groups",
      process.execPath,
      "-e",
      script,
    ]);
    await new Promise((held) => stranger.stdout!.once("data", held));
    const agent = await RunningAgent.ready(node);
    const second = RunningAgent.start(node, "--control", `${node.folder}/second.sock`);
    expect(await second.exit).toBe(2);
    expect(second.said).toContain("another agent manages the table");
    await agent.stop();
  });
});
