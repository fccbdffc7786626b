import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planCluster } from "../../bench/src/generate/plan.js";
import { shapes } from "../../bench/src/generate/shape.js";
import { snapshotOf } from "../../bench/src/generate/snapshot.js";
import { writeSnapshot } from "../../bench/src/generate/snapshot-files.js";

export interface ClusterFolder {
  readonly folder: string;
  readonly remove: () => void;
}

/** 2,400 pods in 240 namespaces under 4,900 policies, as `kubectl get -o json` would write them. */
export function bigCluster(): ClusterFolder {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-big-cluster-"));
  writeSnapshot(join(folder, "cluster.json"), snapshotOf(planCluster(shapes["2.4k/4.8k"], 1)), "json");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
