import { type Cluster, readCluster } from "@tierwall/core";
import { clusterFiles, connect, listCluster, watchedKinds } from "@tierwall/kube";
import type { LiveFlags } from "../live.js";

/** Milliseconds that a cluster has to answer while somebody waits. */
const patience = 300;

/** Who is there to be named. Each kind for itself: those of which there are few come in time where others do not. */
const namedKinds = watchedKinds.filter(
  ({ kind, group }) => group === "" && ["Namespace", "Node", "Pod", "Service"].includes(kind),
);

export async function liveCluster(flags: LiveFlags): Promise<Cluster | undefined> {
  const connected = await connect(flags);
  if (!connected.ok) return undefined;
  const signal = AbortSignal.timeout(patience);
  const listed = await Promise.all(
    namedKinds.map(async (kind) => listCluster(connected.connection, { kinds: [kind], signal })),
  );
  return readCluster(listed.flatMap((one) => (one.ok ? clusterFiles(one.listing) : [])));
}
