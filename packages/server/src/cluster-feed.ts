import type { JsonObject } from "@tierwall/core/manifest";
import { servedObject, type StateOptions } from "@tierwall/core/state";
import {
  controllerKinds,
  clusterFiles,
  type ClusterListing,
  ClusterSource,
  type Connection,
  type KindHealth,
  listCluster,
  watchedKinds,
} from "@tierwall/kube";
import type { Shown, StateFeed } from "./feed.js";

/** A watch of a cluster, with the objects that it has. */
export interface WatchedCluster {
  readonly title: string;
  /** What no object of the cluster contains. */
  readonly state: StateOptions;
  /** Calls when the state of the cluster changes, beginning with the first one. */
  readonly watch: (changed: () => void) => Promise<void>;
  readonly listing: () => ClusterListing;
  readonly stop: () => Promise<void>;
}

/** The objects of a live cluster, written as if they were in files. */
export class ClusterFeed implements StateFeed {
  constructor(private readonly cluster: WatchedCluster) {}

  async start(changed: () => void): Promise<void> {
    await this.cluster.watch(changed);
  }

  shown(): Shown {
    const { title, listing, state } = this.cluster;
    const { objects, ...unseen } = listing();
    const kept = objects.map(served).filter((object) => object !== undefined);
    return {
      title,
      provenance: "cluster",
      sources: clusterFiles({ ...unseen, objects: kept }, "yaml"),
      options: state,
    };
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
  }
}

/** An object that did not change is the same, and so is its served form. */
const known = new WeakMap<JsonObject, { readonly kept: JsonObject | undefined }>();

function served(object: JsonObject): JsonObject | undefined {
  const found = known.get(object) ?? { kept: servedObject(object) };
  known.set(object, found);
  return found.kept;
}

/** What a person calls a cluster: pods do not know its name. */
export const clusterTitle = ({ context }: Pick<Connection, "context">): string =>
  context === "inClusterContext" ? "This cluster" : context;

/** Kinds that every cluster has, with few objects. */
const fewObjects = watchedKinds.filter(
  ({ group, kind }) => group === "" && ["Namespace", "Node"].includes(kind),
);

export type OpenedCluster =
  | { readonly ok: true; readonly feed: ClusterFeed }
  | { readonly ok: false; readonly message: string };

/** Watches a cluster from now on. Fails at once if it cannot be reached. */
export async function openCluster(
  connection: Connection,
  state: StateOptions = {},
  onHealth: (resource: string, health: KindHealth) => void = () => undefined,
): Promise<OpenedCluster> {
  const reached = await listCluster(connection, { kinds: fewObjects });
  if (!reached.ok) return reached;
  const source = new ClusterSource(connection, {
    kinds: controllerKinds,
    keepsObjects: true,
    whenForbidden: "go on",
    onHealth,
  });
  const cluster: WatchedCluster = {
    title: clusterTitle(connection),
    state,
    watch: async (changed) => source.start(changed),
    listing: () => source.listing(),
    stop: async () => source.stop(),
  };
  return { ok: true, feed: new ClusterFeed(cluster) };
}
