import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findHelm } from "../../scripts/kube-binaries.mjs";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, patience, startTimeout, testTimeout } from "./control-plane.js";
import { noKubectl } from "./kubectl.js";

/* Removing the product keeps the policies, whichever way it was installed. */

const helm = findHelm();
const reason =
  noControlPlane ?? noKubectl ?? (helm === undefined ? "no helm; `npm run test:cluster` gets it" : undefined);
const root = fileURLToPath(new URL("../../", import.meta.url));
const policies = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";

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
});
