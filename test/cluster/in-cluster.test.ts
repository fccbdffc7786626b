import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";

/*
 * A process in a pod: no kubeconfig, but the files and variables that Kubernetes gives to pods, with a token that the API
 * server issued. The files lie where pods have them, in a mount namespace that only that process sees.
 */

const noNamespaces =
  spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/run"]).status === 0
    ? undefined
    : "no mount namespaces of our own, which takes root";
const reason = noControlPlane ?? noNamespaces;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const bin = fileURLToPath(new URL("../../packages/cli/bin/tierwall.js", import.meta.url));
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`with the service account of a pod${title}`, () => {
  let plane: ControlPlane;
  let folder: string;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    const api = new ApiClient(await plane.connect());
    await api.create("/api/v1/namespaces", { metadata: { name: "tierwall-system" } });
    await api.create("/api/v1/namespaces/tierwall-system/serviceaccounts", { metadata: { name: "reader" } });
    await api.create(`${rbac}/clusterroles`, {
      metadata: { name: "reader" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["list"] }],
    });
    await api.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: "reader" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "tierwall-system" }],
    });
    const { body } = await api.ask({
      method: "POST",
      path: "/api/v1/namespaces/tierwall-system/serviceaccounts/reader/token",
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    });
    const { token } = body.status as { token: string };
    folder = mkdtempSync(join(tmpdir(), "tierwall-account-"));
    const files = { token, namespace: "tierwall-system", "ca.crt": plane.authority };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, "home"));
  }, startTimeout);
  afterAll(async () => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    await plane?.stop();
  });

  /** In a mount namespace of its own. */
  const inPod = (...args: readonly string[]) => {
    const account = "/run/secrets/kubernetes.io/serviceaccount";
    const script = `mount -t tmpfs none /run && mkdir -p ${account} && cp "$ACCOUNT"/* ${account} 2>/dev/null; exec "$@"`;
    const { port } = new URL(plane.server);
    return spawnSync("unshare", ["--mount", "sh", "-c", script, "sh", process.execPath, bin, ...args], {
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        HOME: join(folder, "home"),
        ACCOUNT: folder,
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: port,
      },
    });
  };

  it("reads the cluster that it runs in", async () => {
    // Who may do what is known a moment after it is written.
    await vi.waitFor(() => expect(inPod("validate")).toMatchObject({ status: 0, stderr: "" }), {
      timeout: 300_000,
      interval: 500,
    });
    expect(inPod("validate").stdout).toMatch(/Read no policies and no pods/);
  });

  it("says so where the token is not good, and leaves the machine as it was", () => {
    writeFileSync(join(folder, "token"), "forged");
    const { status, stdout } = inPod("validate");
    expect([status, stdout]).toEqual([2, expect.stringMatching(/TW1009[^]*127\.0\.0\.1/) as string]);
    expect(existsSync("/run/secrets/kubernetes.io/serviceaccount/token")).toBe(false);
  });
});
