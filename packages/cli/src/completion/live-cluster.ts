import type { Inventory } from "@tierwall/core/model";
import { readCluster } from "@tierwall/core/state";
import { clusterFiles, connect, listCluster, type WatchedKind, watchedKinds } from "@tierwall/kube";
import type { LiveFlags } from "../input/live.js";

/** Milliseconds that a cluster has to answer while the user waits. */
const patience = 300;

/** What a word that is being typed may come to name. Each kind for itself: those of which there are few come in time where others do not. */
export async function liveCluster(flags: LiveFlags, word: string): Promise<Inventory | undefined> {
  const connected = await connect(flags);
  if (!connected.ok) return undefined;
  const signal = AbortSignal.timeout(patience);
  const listed = await Promise.all(
    namedKinds(word).map(async (kind) => listCluster(connected.connection, { kinds: [kind], signal })),
  );
  return readCluster(listed.flatMap((one) => (one.ok ? clusterFiles(one.listing) : [])));
}

/** Behind `shop/`, what is in that namespace: reading ten thousand pods of others takes too long. */
function namedKinds(word: string): readonly WatchedKind[] {
  const [, namespace] = /^([^/:]+)\//.exec(word) ?? [];
  const wanted = namespace === undefined ? ["Namespace", "Node"] : ["Pod", "Service"];
  return watchedKinds
    .filter(({ kind, group }) => group === "" && wanted.includes(kind))
    .map((kind) => (namespace === undefined ? kind : { ...kind, namespace }));
}
