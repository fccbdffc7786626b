import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { folderOf, removeFolders } from "../../packages/cli/testing/run-command.js";
import { commandsByPage } from "../documented-commands.js";
import { ReadersFolder } from "../readers-folder.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane, noControlPlane, startTimeout, testTimeout } from "./control-plane.js";

const title = noControlPlane === undefined ? "" : ` (skipped: ${noControlPlane})`;

vi.setConfig({ testTimeout });

interface Kubeconfig {
  readonly "current-context": string;
  readonly contexts: readonly { readonly name: string; readonly context: object }[];
}

describe.skipIf(noControlPlane)(
  `documented commands about a live cluster can be run as printed${title}`,
  () => {
    let plane: ControlPlane;
    let kubeconfig: string;

    beforeAll(async () => {
      plane = await ControlPlane.start();
      const api = new ApiClient(await plane.connect());
      await api.create("/api/v1/nodes", {
        metadata: { name: "worker-1" },
        spec: { podCIDRs: ["10.244.1.0/24"] },
      });
      for (const name of ["shop", "payments"]) await api.create("/api/v1/namespaces", { metadata: { name } });
      const pods = ["shop/cart", "shop/web", "payments/api", "kube-system/coredns"];
      for (const [i, pod] of pods.entries()) {
        const [namespace, name] = pod.split("/");
        await api.create(`/api/v1/namespaces/${namespace}/pods`, {
          metadata: { name, labels: { app: name } },
          spec: {
            nodeName: "worker-1",
            containers: [{ name: "c", image: "none", ports: [{ containerPort: 8443 }] }],
          },
        });
        const ip = `10.244.1.${i + 2}`;
        const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
        await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { status });
      }
      kubeconfig = withContext("prod", plane.kubeconfig());
    }, startTimeout);
    afterAll(async () => {
      removeFolders();
      await plane?.stop();
    });

    // Findings end with 1; 2 and more are input that is not valid, and bugs.
    it.each(commandsByPage("cluster"))("%s, in order", (_page, lines) => {
      const reader = new ReadersFolder({ KUBECONFIG: kubeconfig });
      const failed = lines
        .map((line) => ({ line, ...reader.run(line) }))
        .filter(({ status }) => status !== 0 && status !== 1);
      expect(failed).toEqual([]);
    });
  },
);

/** A copy of a kubeconfig in which the current context has one more name. */
function withContext(name: string, file: string): string {
  const config = parse(readFileSync(file, "utf8")) as Kubeconfig;
  const { context } = config.contexts.find((one) => one.name === config["current-context"])!;
  const path = join(folderOf({}), "kubeconfig");
  writeFileSync(path, stringify({ ...config, contexts: [...config.contexts, { name, context }] }));
  return path;
}
