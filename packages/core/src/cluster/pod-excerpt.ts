import type { Excerpt } from "../manifest/excerpt.js";
import { isFromCluster } from "./identity.js";

/*
 * Large snapshots are made of pods, and of a pod about a fifth is read: all that `pod.ts` and `identity.ts` look at. What people
 * wrote is read as a whole, as slips are looked for in it; what an API server gave out has none.
 */

const ports = { containerPort: "all", name: "all", protocol: "all" } as const;
const addresses = { ip: "all" } as const;

export const podExcerpt: Excerpt = {
  outline: {
    apiVersion: "all",
    kind: "all",
    metadata: {
      labels: "all",
      name: "all",
      namespace: "all",
      ownerReferences: { controller: "all", kind: "all", name: "all" },
      uid: "all",
    },
    spec: {
      containers: { ports },
      hostNetwork: "all",
      initContainers: { ports, restartPolicy: "all" },
      nodeName: "all",
      serviceAccount: "all",
      serviceAccountName: "all",
    },
    status: { hostIP: "all", hostIPs: addresses, phase: "all", podIP: "all", podIPs: addresses },
  },
  suffices: (apiVersion, kind, value) => apiVersion === "v1" && kind === "Pod" && isFromCluster({ value }),
};
