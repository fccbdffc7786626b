import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { webhookConfiguration } from "@tierwall/kube";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RunningAgent } from "../agent/running-agent.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";
import { freePorts } from "../../bench/src/cluster/free-ports.js";
import { kubectl, noKubectl } from "./kubectl.js";

/* The webhook as a part of `tierwall controller`: processes of their own, as replicas are. */

const reason = noControlPlane ?? noKubectl;
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const bin = fileURLToPath(new URL("../../packages/cli/bin/tierwall.js", import.meta.url));

vi.setConfig({ testTimeout });

describe.skipIf(reason)(`tierwall controller --webhook-port${title}`, () => {
  let plane: ControlPlane;
  let api: ApiClient;
  const running: RunningAgent[] = [];

  beforeAll(async () => {
    plane = await ControlPlane.start();
    api = new ApiClient(await plane.connect());
    for (const name of ["shop", "tierwall-system"])
      await api.create("/api/v1/namespaces", { metadata: { name } });
    for (const name of ["web", "cart"])
      await api.create("/api/v1/namespaces/shop/pods", {
        metadata: { name, labels: { app: name } },
        spec: { containers: [{ name: "main", image: "none", ports: [{ containerPort: 8080 }] }] },
      });
  }, startTimeout);
  afterAll(async () => {
    for (const process of running) await process.stop("SIGKILL");
    await plane?.stop();
  });

  function controller(port: number): RunningAgent {
    const flags = {
      "--kubeconfig": plane.kubeconfig(),
      "--metrics-address": "none",
      "--webhook-port": String(port),
      "--webhook-host": "127.0.0.1",
    };
    const started = new RunningAgent(
      spawn(process.execPath, [bin, "controller", ...Object.entries(flags).flat()], {
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    running.push(started);
    return started;
  }

  const closed = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "closed", namespace: "shop" },
    spec: { podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Ingress"] },
  };

  it("answers with what kubectl prints, on every replica, and ends with a signal", async () => {
    const config = plane.kubeconfig();
    const dryRun = async () =>
      kubectl(config, ["create", "--dry-run=server", "-f", "-"], JSON.stringify(closed));
    const replicas: RunningAgent[] = [];
    for (let i = 0; i < 2; i++) {
      const [port] = (await freePorts(1)) as [number];
      const address = { url: `https://127.0.0.1:${port}/validate` };
      const configuration = webhookConfiguration({ namespace: "tierwall-system", address });
      await kubectl(
        config,
        ["apply", "--server-side", "--force-conflicts", "-f", "-"],
        JSON.stringify(configuration),
      );
      replicas.push(controller(port));
      await vi.waitFor(
        async () =>
          expect((await dryRun()).warnings).toContainEqual(
            expect.stringMatching(
              /connections? that works? today becomes? denied .* for example shop\/cart → shop\/web :8080\/TCP/,
            ),
          ),
        { timeout: 300_000, interval: 200 },
      );
    }
    for (const replica of replicas) expect(await replica.stop()).toBe(0);
  });
});
