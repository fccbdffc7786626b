import type { Diagnostic, Result } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import { clusterFiles, connect, type Connection, listCluster, type Read } from "@tierwall/kube";
import type { Progress } from "../output/progress.js";

/** Which cluster, in the terms of kubectl. */
export interface LiveFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** All that the cluster of a context holds, or why it cannot be had. */
export async function readLive(flags: LiveFlags, progress: Progress): Promise<Read> {
  const connected = await connectLive(flags);
  if (!connected.ok) return { sources: [], diagnostics: [connected.diagnostic] };
  const { value: connection } = connected;
  const listed = await listCluster(connection, { objectsRead: progress.objectsRead });
  if (listed.ok) return { sources: clusterFiles(listed.listing), diagnostics: [] };
  return { sources: [], diagnostics: [outOfReach(connection, listed.message)] };
}

/** The way to the cluster of a context. */
export async function connectLive({ kubeconfig, context }: LiveFlags): Promise<Result<Connection>> {
  const connected = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (connected.ok) return { ok: true, value: connected.connection };
  const hint = "Without -f, the cluster of a kubectl context is read. -f FILE reads manifests instead.";
  return { ok: false, diagnostic: diagnostic("TW1009", connected.message, { hint }) };
}

export function outOfReach({ context, server }: Connection, why: string): Diagnostic {
  return diagnostic("TW1009", `the cluster of context \`${context}\` cannot be read: ${why}`, {
    hint:
      `Its server is ${server}; \`kubectl --context ${context} get namespaces\` should answer. --context chooses another ` +
      "cluster, and -f FILE reads manifests instead.",
  });
}
