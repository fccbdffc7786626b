import { expect, it } from "vitest";
import { dialects } from "@tierwall/core/manifest";
import { pathOf, resourceOf, watchedKinds } from "./kinds.js";

const metadata = {
  name: "a",
  namespace: "b",
  uid: "1",
  labels: { app: "a" },
  resourceVersion: "7",
  managedFields: [{ manager: "kubectl" }],
};

const kept = (resource: string, object: object): unknown =>
  watchedKinds.find((kind) => resourceOf(kind) === resource)!.keep(object as never);

it("reads every policy API there is", () => {
  const watched = watchedKinds.map(({ group, versions, kind }) => `${group}/${versions.join()} ${kind}`);
  for (const { group, versions, kind } of dialects)
    expect(watched).toContain(`${group}/${versions.join()} ${kind}`);
});

it("asks where the API server serves them", () => {
  expect(watchedKinds.map((kind) => pathOf(kind, kind.versions[0]!))).toEqual(
    expect.arrayContaining([
      "/api/v1/pods",
      "/apis/networking.k8s.io/v1/networkpolicies",
      "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies",
    ]),
  );
});

it("S3.6: keeps all of a policy that says something, known or not, and nothing that other programs add", () => {
  const annotations = {
    "tierwall.dev/audit": "all",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  };
  expect(
    kept("networkpolicies.networking.k8s.io", {
      metadata: { ...metadata, annotations },
      spec: { podSelector: {}, somethingNew: 1 },
      somethingElse: 2,
      status: { conditions: [] },
    }),
  ).toEqual({
    metadata: {
      name: "a",
      namespace: "b",
      uid: "1",
      labels: { app: "a" },
      annotations: { "tierwall.dev/audit": "all" },
    },
    spec: { podSelector: {}, somethingNew: 1 },
    somethingElse: 2,
  });
});

it("S1.16: keeps of a node the addresses that network plugins report, and no other annotations", () => {
  const annotations = { "projectcalico.org/IPv4IPIPTunnelAddr": "10.9.0.64" };
  expect(
    kept("nodes", {
      kind: "Node",
      metadata: { ...metadata, annotations: { ...annotations, "volumes.kubernetes.io/attached": "x" } },
      spec: { podCIDRs: ["10.244.1.0/24"], providerID: "x" },
      status: { addresses: [{ type: "InternalIP", address: "192.168.0.1" }], images: [] },
    }),
  ).toEqual({
    kind: "Node",
    metadata: { name: "a", namespace: "b", uid: "1", labels: { app: "a" }, annotations },
    spec: { podCIDRs: ["10.244.1.0/24"] },
    status: { addresses: [{ address: "192.168.0.1" }] },
  });
});

it("keeps of a pod what verdicts depend on", () => {
  expect(
    kept("pods", {
      kind: "Pod",
      metadata,
      spec: {
        nodeName: "n",
        containers: [{ name: "main", image: "i", ports: [{ containerPort: 80, hostIP: "" }] }],
        tolerations: [],
      },
      status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }], conditions: [] },
    }),
  ).toEqual({
    kind: "Pod",
    metadata: { name: "a", namespace: "b", uid: "1", labels: { app: "a" } },
    spec: { nodeName: "n", containers: [{ ports: [{ containerPort: 80 }] }] },
    status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }] },
  });
});
