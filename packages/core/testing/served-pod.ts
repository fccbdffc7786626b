/** A pod as an API server returns it, with every field that the model reads and some that it does not. */
export const servedPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    annotations: { name: "é😀" },
    labels: { app: "web", "a/b": "c" },
    managedFields: [{ manager: "kubelet" }],
    name: "web-1",
    namespace: "shop",
    ownerReferences: [{ apiVersion: "apps/v1", controller: true, kind: "ReplicaSet", name: "web" }],
    uid: "1",
  },
  spec: {
    containers: [
      { env: [{ name: "A" }], image: "web", ports: [{ containerPort: 80, name: "http", protocol: "TCP" }] },
    ],
    initContainers: [
      { ports: [{ containerPort: 90, name: "side", protocol: "UDP" }], restartPolicy: "Always" },
    ],
    hostNetwork: false,
    nodeName: "n1",
    serviceAccountName: "web",
  },
  status: {
    conditions: [],
    hostIP: "192.0.2.1",
    hostIPs: [{ ip: "192.0.2.1" }],
    phase: "Running",
    podIP: "10.0.0.1",
    podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
  },
};
