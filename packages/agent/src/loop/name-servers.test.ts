import { parseAddress } from "@tierwall/core/model";
import { readCluster } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { nameServers } from "./enforcement.js";

const cluster = readCluster([
  {
    file: "dns.yaml",
    text: `
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: 10.96.0.10, clusterIPs: [10.96.0.10, "fd00:96::a"], ports: [{name: dns, port: 53, protocol: UDP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-1, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}]
endpoints: [{addresses: [10.0.0.53]}, {addresses: [10.0.1.53]}]
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: shop}
spec: {clusterIP: 10.96.0.66, ports: [{port: 53, protocol: UDP}]}
`,
  },
]);

describe("the name servers that are trusted", () => {
  it("are the DNS Service of the cluster and its endpoints, and no Service of that name in another namespace", () => {
    expect(nameServers(cluster, []).map(({ address }) => address)).toEqual([
      "10.0.0.53",
      "10.0.1.53",
      "10.96.0.10",
      "fd00:96::a",
    ]);
  });

  it("are those that are configured, and no others", () => {
    expect(nameServers(cluster, [parseAddress("192.0.2.53")!])).toEqual([
      { address: "192.0.2.53", port: 53 },
    ]);
  });

  it("are none if there is no such Service", () => {
    expect(nameServers(readCluster([]), [])).toEqual([]);
  });
});
