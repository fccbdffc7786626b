import { parseAddress, readState } from "@tierwall/core";
import { describe, expect, it } from "vitest";
import { nameServers, Upstreams } from "./name-servers.js";

const cluster = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {nodeName: n1}
status: {phase: Running, podIPs: [{ip: 10.0.0.1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: dns-1, namespace: kube-system, labels: {k8s-app: kube-dns, zone: near}}
spec: {nodeName: n1, containers: [{name: dns, ports: [{containerPort: 5353, protocol: UDP}]}]}
status: {phase: Running, podIPs: [{ip: 10.0.0.53}]}
---
apiVersion: v1
kind: Pod
metadata: {name: dns-2, namespace: kube-system, labels: {k8s-app: kube-dns}}
spec: {nodeName: n2}
status: {phase: Running, podIPs: [{ip: 10.0.1.53}]}
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec:
  clusterIP: 10.96.0.10
  selector: {k8s-app: kube-dns}
  ports: [{name: dns, port: 53, protocol: UDP, targetPort: 5353}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-1, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 5353, protocol: UDP}]
endpoints:
- {addresses: [10.0.0.53], targetRef: {kind: Pod, namespace: kube-system, name: dns-1}}
- {addresses: [10.0.1.53], targetRef: {kind: Pod, namespace: kube-system, name: dns-2}}
---`;

const egress = (to: string) => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [${to}]}]}`;

const state = (policy = "") => readState([{ file: "state.yaml", text: `${cluster}${policy}` }]);

describe("name servers", () => {
  it("are the Service of the cluster's DNS and its endpoints", () => {
    expect(nameServers(state().cluster, [])).toEqual(["10.0.0.53", "10.0.1.53", "10.96.0.10"]);
  });

  it("are those that are configured, and no others", () => {
    expect(nameServers(state().cluster, [parseAddress("192.0.2.53")!])).toEqual(["192.0.2.53"]);
  });
});

describe("queries of a pod go", () => {
  const near = "{namespaceSelector: {}, podSelector: {matchLabels: {zone: near}}}";
  const dns1 = { address: "10.0.0.53", port: 5353 };
  const dns2 = { address: "10.0.1.53", port: 5353 };

  it.each([
    ["to every endpoint of the Service, without policies", "", "10.96.0.10", [dns1, dns2]],
    ["to the endpoints that policies allow alone", egress(near), "10.96.0.10", [dns1]],
    ["nowhere, where policies allow none", egress("{ipBlock: {cidr: 192.0.2.0/24}}"), "10.96.0.10", []],
    ["to a server outside the cluster", "", "192.0.2.53", [{ address: "192.0.2.53", port: 53 }]],
    ["nowhere, where it is denied", egress(near), "192.0.2.53", []],
  ])("%s", (_, policy, server, expected) => {
    expect(new Upstreams(state(policy)).of("10.0.0.1", server, "UDP")).toEqual(expected);
  });

  it("nowhere, if nobody knows the pod", () => {
    expect(new Upstreams(state()).of("10.0.0.99", "192.0.2.53", "UDP")).toEqual([]);
  });
});
