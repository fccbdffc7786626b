import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { folderOf } from "../../packages/cli/testing/run-command.js";
import { ApiClient } from "./api-client.js";
import { ControlPlane } from "./control-plane.js";

/* The cluster of a reader who runs documented commands: a node and the pods that pages name. */

export async function startReadersCluster(): Promise<ControlPlane> {
  const plane = await ControlPlane.start();
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
  return plane;
}

interface Kubeconfig {
  readonly "current-context": string;
  readonly contexts: readonly { readonly name: string; readonly context: object }[];
}

/** A copy of a kubeconfig in which the current context has the names that pages use as well. */
export function withDocumentedContexts(file: string): string {
  const config = parse(readFileSync(file, "utf8")) as Kubeconfig;
  const { context } = config.contexts.find((one) => one.name === config["current-context"])!;
  const path = join(folderOf({}), "kubeconfig");
  const contexts = [...config.contexts, ...["prod", "kind-test"].map((name) => ({ name, context }))];
  writeFileSync(path, stringify({ ...config, contexts }));
  return path;
}
