import { diagnostic } from "@tierwall/core";
import { clusterFiles, connect, listCluster, type Read } from "@tierwall/kube";
import type { Progress } from "./progress.js";

/** Which cluster, as kubectl is told. */
export interface LiveFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** All that the cluster of a context holds, or why it cannot be had. */
export async function readLive({ kubeconfig, context }: LiveFlags, progress: Progress): Promise<Read> {
  const connected = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!connected.ok) return refusal(connected.message, "-f FILE reads manifests instead.");
  const { connection } = connected;
  const listed = await listCluster(connection, { objectsRead: progress.objectsRead });
  if (listed.ok) return { sources: clusterFiles(listed.listing), diagnostics: [] };
  const { context: name, server } = connection;
  return refusal(
    `the cluster of context \`${name}\` cannot be read: ${listed.message}`,
    `Its server is ${server}; \`kubectl --context ${name} get namespaces\` should answer. --context chooses another ` +
      "cluster, and -f FILE reads manifests instead.",
  );
}

const refusal = (message: string, hint: string): Read => ({
  sources: [],
  diagnostics: [diagnostic("TW1009", message, { hint })],
});
