import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { NodeLab, noLabBecause } from "../agent/node-lab.js";
import { expectReached } from "../agent/reached.js";
import { RunningAgent } from "../agent/running-agent.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";

/* The agent of a node of a real cluster: its state comes from the API server, its packets from namespaces. */

const reason = noControlPlane ?? noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const relay = fileURLToPath(new URL("relay.mjs", import.meta.url));

vi.setConfig({ testTimeout });

const policies = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies";
const ingressOfB = (...ports: readonly number[]) => ({
  metadata: { name: "b" },
  spec: {
    podSelector: { matchLabels: { app: "b" } },
    policyTypes: ["Ingress"],
    ingress: [{ ports: ports.map((port) => ({ port })) }],
  },
});

describe.skipIf(reason)(`an agent on a node of a cluster${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  let lab: NodeLab | undefined;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    await api.create("/api/v1/namespaces", { metadata: { name: "shop" } });
    await api.create("/api/v1/nodes", {
      metadata: { name: "n1" },
      spec: { podCIDRs: ["10.9.0.0/24"], podCIDR: "10.9.0.0/24" },
    });
    await pod("a", "10.9.0.11");
    await pod("b", "10.9.0.12");
    await api.create(policies, ingressOfB(8080));
  }, startTimeout);
  afterAll(async () => plane?.stop());
  afterEach(() => lab?.destroy());

  async function pod(name: string, address: string): Promise<void> {
    const spec = { nodeName: "n1", containers: [{ name: "main", image: "none" }] };
    await api.create("/api/v1/namespaces/shop/pods", { metadata: { name, labels: { app: name } }, spec });
    await start(name, address);
  }

  const start = (name: string, address: string) =>
    api.patch(`/api/v1/namespaces/shop/pods/${name}/status`, {
      status: { phase: "Running", podIP: address, podIPs: [{ ip: address }] },
    });

  const relayed = new Set<NodeLab>();

  /** The API server listens in another network namespace than the node has. */
  async function agentOn(node: NodeLab, user?: "guest"): Promise<RunningAgent> {
    const { port } = new URL(plane.server);
    const socket = join(node.folder, "api.sock");
    const server = createServer((near) => {
      const far = connect(Number(port), "127.0.0.1");
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    if (!relayed.has(node)) {
      server.listen(socket).unref();
      await once(node.start("node", process.execPath, [relay, port, socket]).stdout!, "data");
    }
    relayed.add(node);
    const folders = ["--control", node.control, "--state-dir", join(node.folder, "state")];
    return new RunningAgent(
      node.tierwall("agent", "--node", "n1", "--kubeconfig", plane.kubeconfig(user), ...folders),
    );
  }

  const expectReachedIn = (node: NodeLab, ports: readonly number[]) =>
    expectReached(node, "10.9.0.12", ports);

  it("follows policies and pods, keeps its rules while the API server is unavailable, and continues when it is back", async () => {
    const node = (lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12", c: "10.9.0.13" }));
    const agent = await agentOn(node);
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [8080]);
    await api.patch(`${policies}/b`, ingressOfB(9090));
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [9090]);

    expect(await node.reaches("c", "10.9.0.11", 8080)).toBe(false);
    await pod("c", "10.9.0.13");
    expect(await agent.says("rules are in the kernel")).toMatchObject({ newPods: 1 });
    await expect.poll(() => node.reaches("c", "10.9.0.11", 8080)).toBe(true);

    await plane.stopApiServer();
    await expectReachedIn(node, [9090]);
    await plane.startApiServer();
    await api.patch(`${policies}/b`, ingressOfB(8080, 9090));
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [8080, 9090]);
    expect(await agent.stop()).toBe(0);
  });

  it("holds pods back as soon as its Node is known, although it may not list the pods", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await api.create(`${rbac}/clusterroles`, {
      metadata: { name: "nodes" },
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }],
    });
    await api.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: "nodes" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "nodes" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
    });
    const node = (lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" }));
    const agent = await agentOn(node, "guest");
    await agent.says("denied until their rules");
    expect(await node.reaches("a", "10.9.0.12", 8080)).toBe(false);
    await expect.poll(() => node.reaches("node", "10.9.0.12", 8080)).toBe(true);
    await agent.stop();
  });

  it("holds pods back after a restart of the node, while the API server is unavailable", async () => {
    const node = (lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" }));
    const first = await agentOn(node);
    await first.says("rules are in the kernel");
    await first.stop();
    node.nft("flush", "ruleset");
    await plane.stopApiServer();
    const agent = await agentOn(node);
    await agent.says("denied until their rules");
    expect(await node.reaches("a", "10.9.0.12", 8080)).toBe(false);
    await plane.startApiServer();
    await agent.says("rules are in the kernel");
    await expectReachedIn(node, [8080, 9090]);
    await agent.stop();
  });
});
