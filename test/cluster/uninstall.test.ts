import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findHelm } from "../../scripts/kube-binaries.mjs";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";

/*
 * Removing the product keeps the policies, whichever way it was installed, and ends when the nodes are clean. There are no
 * controllers and no kubelets here: the test does what they would do.
 */

const helm = findHelm();
const reason =
  noControlPlane ?? noKubectl ?? (helm === undefined ? "no helm; `npm run test:cluster` gets it" : undefined);
const root = fileURLToPath(new URL("../../", import.meta.url));
const policies = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";

const workloads = "/apis/apps/v1/namespaces/tierwall-system/daemonsets";

/** A process that goes on while the test does. */
function started(command: string, ...args: readonly string[]) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { ended, output: () => text };
}

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`uninstalling${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
  }, startTimeout);
  afterAll(async () => plane?.stop());

  function kubectl(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync("kubectl", ["--kubeconfig", plane.kubeconfig(), ...args], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** What the namespace controller does, of which there is none here. */
  async function finalizeNamespace(): Promise<void> {
    const path = "/api/v1/namespaces/tierwall-system";
    const { body } = await api.ask({ path });
    await api.ask({
      method: "PUT",
      path: `${path}/finalize`,
      body: JSON.stringify({ ...body, spec: { finalizers: [] } }),
    });
    expect(await api.statusOf(path)).toBe(404);
  }

  async function createPolicy(name: string): Promise<void> {
    await vi.waitUntil(async () => (await api.statusOf(policies)) === 200, patience);
    const spec = { tier: "Admin", priority: 1, subject: { namespaces: {} } };
    const policy = { apiVersion: "policy.networking.k8s.io/v1alpha2", kind: "ClusterNetworkPolicy" };
    await api.create(policies, { ...policy, metadata: { name }, spec });
  }

  it.each([
    ["-f", "deploy/install.yaml"],
    ["-k", "deploy/kustomize/base"],
  ])("kubectl delete %s %s keeps the policies", async (...what) => {
    kubectl("apply", "--server-side", "-f", "deploy/crds");
    kubectl("apply", "--server-side", ...what);
    const name = what[0] === "-f" ? "kept-by-file" : "kept-by-kustomize";
    await createPolicy(name);
    kubectl("delete", "--wait=false", ...what);
    await finalizeNamespace();
    expect(await api.statusOf("/apis/apps/v1/namespaces/tierwall-system/daemonsets/tierwall-agent")).toBe(
      404,
    );
    expect(await api.statusOf(`${policies}/${name}`)).toBe(200);
  });

  describe("tierwall cleanup, with the rights of its Job", () => {
    const agents = `${workloads}/tierwall-agent`;
    const cleanup = `${workloads}/tierwall-cleanup`;
    const pods = "/api/v1/namespaces/tierwall-system/pods";
    const ready = (status: string) => ({ status: { conditions: [{ type: "Ready", status }] } });
    let command: ReturnType<typeof run>;

    function run(...args: readonly string[]) {
      const token = kubectl("-n", "tierwall-system", "create", "token", "tierwall-cleanup").trim();
      const kubeconfig = plane.kubeconfigWith(token, "cleanup");
      const bin = join(root, "packages/cli/bin/tierwall.js");
      return started(
        process.execPath,
        bin,
        "cleanup",
        "--kubeconfig",
        kubeconfig,
        "--namespace=tierwall-system",
        ...args,
      );
    }

    /** As the controller of DaemonSets makes it. */
    async function createPod(node: string): Promise<void> {
      const { body } = await api.ask({ path: cleanup });
      const { uid } = body.metadata as { uid: string };
      const owner = {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        name: "tierwall-cleanup",
        uid,
        controller: true,
      };
      await api.create(pods, {
        metadata: { name: `cleanup-${node}`, ownerReferences: [owner] },
        spec: { nodeName: node, containers: [{ name: "done", image: "none" }] },
      });
    }

    beforeAll(async () => {
      kubectl("apply", "--server-side", "-f", "deploy/install.yaml");
      kubectl("apply", "--server-side", "-f", "deploy/cleanup.yaml");
      for (const [name, status] of [
        ["up", "True"],
        ["down", "Unknown"],
      ] as const) {
        await api.create("/api/v1/nodes", { metadata: { name } });
        await api.patch(`/api/v1/nodes/${name}/status`, ready(status));
        await createPod(name);
      }
      command = run("--timeout=2m");
    }, startTimeout);

    it("stops the agents", async () => {
      await vi.waitUntil(async () => (await api.statusOf(agents)) === 404, patience);
    });

    it.each([
      [403, "DELETE", `${workloads}/another`],
      [403, "DELETE", `${pods}/cleanup-up`],
      [403, "DELETE", "/api/v1/nodes/up"],
      [403, "GET", "/api/v1/namespaces/tierwall-system/secrets"],
      [403, "GET", "/api/v1/namespaces/default/pods"],
      [200, "GET", pods],
    ] as const)("gets %i for %s %s", async (status, method, path) => {
      const headers = { "Impersonate-User": "system:serviceaccount:tierwall-system:tierwall-cleanup" };
      expect((await api.ask({ method, path, headers })).status).toBe(status);
    });

    it("waits for a node that is Ready, and says for which", async () => {
      await api.patch(`${cleanup}/status`, { status: { observedGeneration: 1, desiredNumberScheduled: 2 } });
      await vi.waitUntil(
        () => command.output().includes("waiting: node up: its pod has not been started yet"),
        patience,
      );
    });

    it("ends when that is clean, and leaves the DaemonSet for a node that is down", async () => {
      await api.patch(`${pods}/cleanup-up/status`, ready("True"));
      expect(await command.ended).toBe(0);
      expect(command.output()).toContain("nothing of Tierwall is left in the kernels of 1 nodes: up\n");
      expect(command.output()).toContain("node down is not Ready: rules may be left in its kernel");
      expect(await api.statusOf(cleanup)).toBe(200);
    });

    it("removes the DaemonSet when every node is clean", async () => {
      await api.patch(`${pods}/cleanup-down/status`, ready("True"));
      const again = run("--timeout=2m");
      expect([await again.ended, again.output()]).toEqual([
        0,
        "nothing of Tierwall is left in the kernels of 2 nodes: down, up\n",
      ]);
      expect(await api.statusOf(cleanup)).toBe(404);
    });

    it("fails where nothing cleans up, and says what to apply", async () => {
      const none = run("--timeout=2m");
      expect(await none.ended).toBe(1);
      expect(none.output()).toContain("`tierwall manifests --cleanup | kubectl apply -f -` creates it");
    });

    it("fails where a node is not clean in time", async () => {
      kubectl("apply", "--server-side", "-f", "deploy/cleanup.yaml");
      const late = run("--timeout=3s");
      expect(await late.ended).toBe(1);
      expect(late.output()).toContain("rules of Tierwall may be left in kernels");
    });

    afterAll(async () => {
      kubectl(
        "delete",
        "--wait=false",
        "--ignore-not-found",
        "-f",
        "deploy/cleanup.yaml",
        "-f",
        "deploy/install.yaml",
      );
      for (const node of ["up", "down"]) await api.delete(`${pods}/cleanup-${node}`);
      await finalizeNamespace();
    }, startTimeout);
  });

  it("helm uninstall waits for the cleanup, and keeps the policies", async () => {
    const release = ["tierwall", "--namespace", "tierwall-system", "--kubeconfig", plane.kubeconfig()];
    const installed = started(
      helm!,
      "install",
      ...release,
      "--create-namespace",
      join(root, "deploy/helm/tierwall"),
      "--set",
      "firstDraft.enabled=true",
    );
    expect([await installed.ended, installed.output()]).toMatchObject([
      0,
      expect.stringContaining("deployed"),
    ]);
    await createPolicy("kept-by-helm");
    const removed = started(helm!, "uninstall", ...release);
    const job = "/apis/batch/v1/namespaces/tierwall-system/jobs/tierwall-cleanup";
    await vi.waitUntil(async () => (await api.statusOf(job)) === 200, patience);
    expect(await api.statusOf(`${workloads}/tierwall-cleanup`)).toBe(200);
    expect(await api.statusOf(`${workloads}/tierwall-agent`)).toBe(200);
    const now = new Date().toISOString();
    const done = (type: string) => ({ type, status: "True", lastTransitionTime: now, lastProbeTime: now });
    await api.patch(`${job}/status`, {
      status: {
        startTime: now,
        completionTime: now,
        succeeded: 1,
        conditions: [done("SuccessCriteriaMet"), done("Complete")],
      },
    });
    expect([await removed.ended, removed.output()]).toMatchObject([
      0,
      expect.stringContaining("uninstalled"),
    ]);
    expect(await api.statusOf(`${workloads}/tierwall-agent`)).toBe(404);
    expect(await api.statusOf(`${policies}/kept-by-helm`)).toBe(200);
    const drafts = "/apis/netpol.networking.k8s.io/v1alpha1/clusterdefaultnetworkpolicies";
    await vi.waitUntil(async () => (await api.statusOf(drafts)) === 200, patience);
  });
});
