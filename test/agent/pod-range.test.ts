import { afterEach, describe, expect, it, vi } from "vitest";
import { appPod } from "../../packages/core/testing/manifests.js";
import { ingressOfB, pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";

/* A network plugin that does not assign addresses from the pod range of the node, as Calico's IPAM does not. */

const reason = noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;

vi.setConfig({ testTimeout: 180_000 });

let lab: NodeLab | undefined;
afterEach(() => lab?.destroy());

const elsewhere = (address: string) => appPod("shop/far", { node: "n2", ips: [address] });

/** Whether the pod of another node reaches one of this node, and one that no object names does. */
const ways = async (node: NodeLab) => ({
  known: await node.reaches("far", node.addressOf("a"), 8080),
  unknown: await node.reaches("unknown", node.addressOf("a"), 8080),
});

async function node(far: string): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12", unknown: "10.9.0.13", far });
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"]));
  lab.write("manifests/far.yaml", elsewhere(far));
  lab.write("manifests/policy.yaml", ingressOfB([8080]));
  return lab;
}

const problemIn = (metrics: string) => /^tierwall_node_problem\{kind="pod-range"\} (\d)/m.exec(metrics)?.[1];

describe.skipIf(reason)(`the pod range of a node${title}`, () => {
  it("is trusted while no pod contradicts it: unknown addresses in it are denied", async () => {
    const here = await node("10.8.0.9");
    await RunningAgent.ready(here);
    await expect.poll(() => ways(here)).toEqual({ known: true, unknown: false });
    expect(problemIn(here.get("http://127.0.0.1:9465/metrics"))).toBe("0");
  });

  it("is not trusted while a pod of another node has an address in it, and that is reported", async () => {
    const here = await node("10.9.0.14");
    const agent = await RunningAgent.ready(here);
    await expect.poll(() => ways(here)).toEqual({ known: true, unknown: true });
    expect(agent.said).toMatch(/pod shop\/far of node n2 has the address 10\.9\.0\.14/);
    expect(problemIn(here.get("http://127.0.0.1:9465/metrics"))).toBe("1");
    const status = new RunningAgent(here.tierwall("agent", "status", "--control", here.control));
    await status.exit;
    expect(status.output.join("\n")).toContain("10.9.0.14");
    // After a restart of the node, the range of the Node object alone does not deny its addresses.
    await agent.stop();
    await new RunningAgent(here.tierwall("agent", "--cleanup")).exit;
    here.write("manifests/policy.yaml", ingressOfB([8080]).replace("podSelector:", "podselector:"));
    const again = RunningAgent.start(here);
    await again.says("the files have errors");
    await expect.poll(() => ways(here)).toEqual({ known: true, unknown: true });
  });

  it("is not trusted either while a pod of the node has an address outside of it", async () => {
    const here = await node("10.8.0.9");
    here.write("manifests/far.yaml", elsewhere("10.8.0.9").replace("nodeName: n2", "nodeName: n1"));
    const agent = await RunningAgent.ready(here);
    await expect.poll(() => ways(here)).toEqual({ known: true, unknown: true });
    expect(agent.said).toMatch(/pod shop\/far of this node has the address 10\.8\.0\.9/);
  });
});
