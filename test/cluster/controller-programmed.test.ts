import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { usualPatience } from "../../packages/kube/src/controller/policy-conditions.js";
import { NodeLab, noLabBecause } from "../agent/node-lab.js";
import { RunningAgent } from "../agent/running-agent.js";
import { noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { ControllerLab } from "./controller-lab.js";
import {
  conditionsAt,
  createPolicy,
  definitionsIn,
  type FoundCondition,
  guarding,
  kinds,
  systemNamespace,
} from "./policy-cluster.js";

/* A controller and real agents: what is in the kernels of the nodes shows on the policies. */

const reason = noControlPlane ?? noLabBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const relay = fileURLToPath(new URL("relay.mjs", import.meta.url));
const leases = `/apis/coordination.k8s.io/v1/namespaces/${systemNamespace}/leases`;

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`what nodes enforce${title}`, () => {
  let cluster: ControllerLab;
  const labs: NodeLab[] = [];

  beforeAll(async () => {
    cluster = await ControllerLab.start(definitionsIn(""));
  }, startTimeout);
  afterAll(() => cluster?.stop());
  afterEach(async () => {
    for (const lab of labs.splice(0)) await lab.destroy();
  });

  /** An agent in a network namespace of its own, from which a relay leads to the API server. */
  async function agentOf(name: string, ...more: readonly string[]): Promise<RunningAgent> {
    const lab = await NodeLab.create({ a: "10.9.0.11" });
    labs.push(lab);
    const { port } = new URL(cluster.plane.server);
    const socket = join(lab.folder, "api.sock");
    const server = createServer((near) => {
      const far = connect(Number(port), "127.0.0.1");
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    server.listen(socket).unref();
    await once(lab.start("node", process.execPath, [relay, port, socket]).stdout!, "data");
    const folders = ["--control", lab.control, "--state-dir", join(lab.folder, "state")];
    const flags = ["--node", name, "--kubeconfig", cluster.plane.kubeconfig(), ...folders, ...more];
    return new RunningAgent(lab.tierwall("agent", ...flags));
  }

  async function says(path: string, wanted: Partial<FoundCondition>): Promise<void> {
    await expect
      .poll(async () => (await conditionsAt(cluster.api, path)).Programmed, patience)
      .toMatchObject(wanted);
  }

  it("is counted node by node, and again for every version", async () => {
    const path = await createPolicy(cluster.api, kinds.cluster, "guard", guarding("db", 1, ["Deny", "web"]));
    await says(path, { status: "Unknown", message: "no node agent reports what it enforces" });

    const first = await agentOf("n1");
    await says(path, {
      status: "False",
      reason: "Pending",
      message: "enforced on 1 of 2 nodes; not yet on n2 (it has no agent)",
    });
    const second = await agentOf("n2");
    await says(path, { status: "True", message: "enforced on 2 of 2 nodes" });
    const { body } = await cluster.api.ask({ path: `${leases}/tierwall-agent-n1` });
    // It is removed with the node.
    expect(body.metadata).toMatchObject({ ownerReferences: [{ kind: "Node", name: "n1" }] });

    const before = (await conditionsAt(cluster.api, path)).Programmed!;
    const patched = performance.now();
    await cluster.api.patch(path, { spec: { priority: 2 } });
    await says(path, { status: "True", observedGeneration: 2 });
    // It was not said to be anything else in between, unless agents were later than controllers wait for them.
    if (performance.now() - patched < usualPatience.programming)
      expect((await conditionsAt(cluster.api, path)).Programmed!.lastTransitionTime).toBe(
        before.lastTransitionTime,
      );

    // What a kernel holds it holds without its agent; what comes later it does not get.
    await second.stop("SIGKILL");
    await says(path, { status: "True", observedGeneration: 2 });
    await cluster.api.patch(path, { spec: { priority: 3 } });
    await says(path, {
      status: "False",
      message: "enforced on 1 of 2 nodes; not yet on n2",
      observedGeneration: 3,
    });
    await agentOf("n2", "--shadow");
    await says(path, {
      status: "False",
      message: "enforced on 1 of 2 nodes; not yet on n2 (its agent is in shadow mode)",
    });
    await cluster.api.delete("/api/v1/nodes/n2");
    await says(path, { status: "True", message: "enforced on 1 of 1 node" });
    expect(await cluster.controller.metric("tierwall_agents")).toBe(2);
    await first.stop();
  });
});
