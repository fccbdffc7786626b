import type { FieldMask } from "../manifest/field-mask.js";

const ports = { containerPort: "all", name: "all", protocol: "all" } as const;
const addresses = { ip: "all" } as const;

/** All fields that `pod.ts` and `identity.ts` read, about a fifth of a pod. Of watched pods, only these are kept. */
export const podFields: FieldMask = {
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
};
