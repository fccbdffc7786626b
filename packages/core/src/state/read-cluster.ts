import { ClusterBuilder } from "../cluster/build.js";
import type { Cluster } from "../cluster/model.js";
import { isObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { readObjects } from "../manifest/read.js";
import type { Source } from "../manifest/source.js";
import { kindOf } from "./object-kind.js";

/** The endpoints of a cluster, for names only: objects with errors are skipped, and policies are not read. */
export function readCluster(sources: readonly Source[]): Cluster {
  const cluster = new ClusterBuilder();
  const namespaces = new Set<string>();
  const add = (object: ManifestObject) => {
    const { what } = kindOf(object);
    if (what === "cluster") cluster.add(object);
    const { metadata } = object.value;
    if (what === "policy" && isObject(metadata) && typeof metadata.namespace === "string")
      namespaces.add(metadata.namespace);
  };
  for (const source of sources) readObjects(source, { object: add, report: () => undefined });
  return cluster.build({ podCidrs: [], serviceCidrs: [] }, namespaces).cluster;
}
