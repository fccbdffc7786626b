import { readState } from "@tierwall/core/state";
import { expect, test } from "vitest";
import { podYaml } from "../../testing/node-world.js";
import { ClusterReach } from "./reach.js";

const cluster = `
${podYaml("shop/web", "10.0.0.1,fd00::1")}
${podYaml("shop/elsewhere", "10.0.1.1", { node: "there", app: "web" })}
${podYaml("kube-system/dns-1", "10.0.0.53", { labels: "k8s-app: kube-dns" })}
${podYaml("kube-system/dns-2", "10.0.1.53", { node: "there", labels: 'k8s-app: kube-dns, picky: "yes"' })}
---
kind: Service
apiVersion: v1
metadata: { name: kube-dns, namespace: kube-system }
spec:
  clusterIP: 10.96.0.10
  selector: { k8s-app: kube-dns }
  ports: [{ name: dns, port: 53, protocol: UDP, targetPort: 5353 }]
---
kind: Node
apiVersion: v1
metadata: { name: there }
status: { addresses: [{ type: InternalIP, address: 192.168.0.2 }] }
`;

const denyIngress = (labels: string) => `
kind: NetworkPolicy
apiVersion: networking.k8s.io/v1
metadata: { name: picky, namespace: kube-system }
spec: { podSelector: { matchLabels: ${labels} }, policyTypes: [Ingress] }
`;

function read(...texts: readonly string[]) {
  return readState(texts.map((text, i) => ({ file: `${i}.yaml`, text })));
}

function reach(...texts: readonly string[]): ClusterReach {
  const { cluster, tiers, diagnostics } = read(...texts);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const found = new ClusterReach("here");
  found.update(cluster, tiers, []);
  return found;
}

const service = { address: "10.96.0.10", port: 53 };

test("behind a Service, every endpoint that policies allow can be asked, as the pod", () => {
  expect(reach(cluster).upstreams("10.0.0.1", service, "udp")).toEqual([
    { address: "10.0.0.53", port: 5353, as: "pod" },
    { address: "10.0.1.53", port: 5353, as: "pod" },
  ]);
});

test("endpoints whose own policies deny the pod are left out", () => {
  const picky = reach(cluster, denyIngress('{ picky: "yes" }'));
  expect(picky.upstreams("10.0.0.1", service, "udp")).toEqual([
    { address: "10.0.0.53", port: 5353, as: "pod" },
  ]);
  expect(reach(cluster, denyIngress("{}")).upstreams("10.0.0.1", service, "udp")).toEqual([]);
});

test("a server outside, or a node, is asked under the address of the node", () => {
  for (const address of ["192.0.2.53", "192.168.0.2"])
    expect(reach(cluster).upstreams("10.0.0.1", { address, port: 53 }, "tcp")).toEqual([
      { address, port: 53, as: "node" },
    ]);
});

test.each([
  ["pods of other nodes", "10.0.1.1"],
  ["addresses of no pod", "10.0.0.99"],
])("%s have no servers here", (_, pod) => {
  expect(reach(cluster).upstreams(pod, service, "udp")).toEqual([]);
  expect(reach(cluster).addressesOf(pod)).toEqual([]);
});

test("a pod is known by all of its addresses", () => {
  expect(reach(cluster).addressesOf("fd00::1")).toEqual(["10.0.0.1", "fd00::1"]);
});

test("verdicts follow the policies, and the pods", () => {
  const before = read(cluster);
  const found = new ClusterReach("here");
  found.update(before.cluster, before.tiers, []);
  expect(found.upstreams("10.0.0.1", service, "udp")).toHaveLength(2);

  const denied = read(cluster, denyIngress("{}"));
  found.update(before.cluster, denied.tiers, []);
  expect(found.upstreams("10.0.0.1", service, "udp")).toEqual([]);

  found.update(before.cluster, before.tiers, []);
  expect(found.upstreams("10.0.0.1", service, "udp")).toHaveLength(2);
  // The same tiers, but one of the servers has other labels now.
  const pods = new Map(before.cluster.pods);
  pods.set("kube-system/dns-2", { ...pods.get("kube-system/dns-2")!, labels: {} });
  found.update({ ...before.cluster, pods }, before.tiers, []);
  expect(found.upstreams("10.0.0.1", service, "udp")).toEqual([
    { address: "10.0.0.53", port: 5353, as: "pod" },
  ]);
});

test("S1.17: of pods that share an address, each has to be allowed to ask", () => {
  const server = { address: "10.0.0.53", port: 5353 };
  const twin = podYaml("shop/old", "10.0.0.1");
  const isolated = `
kind: NetworkPolicy
apiVersion: networking.k8s.io/v1
metadata: { name: closed, namespace: shop }
spec: { podSelector: { matchLabels: { app: old } }, policyTypes: [Egress] }
`;
  expect(reach(cluster, isolated).upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
  expect(reach(cluster, twin).upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
  expect(reach(cluster, twin, isolated).upstreams("10.0.0.1", server, "udp")).toEqual([]);
});

test.each([
  ["the pod that asks", "10.0.0.1", "shop"],
  ["the server", "10.0.0.53", "kube-system"],
])("S1.17: a pod that joins the address of %s counts at once", (_, ip, namespace) => {
  const server = { address: "10.0.0.53", port: 5353 };
  const closed = `
kind: NetworkPolicy
apiVersion: networking.k8s.io/v1
metadata: { name: closed, namespace: ${namespace} }
spec: { podSelector: { matchLabels: { app: joining } }, policyTypes: [Ingress, Egress] }
`;
  const joining = podYaml(`${namespace}/joining`, ip, { node: "there" });
  const before = read(cluster, closed);
  const found = new ClusterReach("here");
  found.update(before.cluster, before.tiers, []);
  expect(found.upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
  expect(found.upstreams("10.0.0.1", service, "udp")).toHaveLength(2);
  const joined = read(cluster, joining).cluster.pods.get(`${namespace}/joining`)!;
  const pods = new Map([...before.cluster.pods, [`${namespace}/joining`, joined]]);
  found.update({ ...before.cluster, pods }, before.tiers, []);
  expect(found.upstreams("10.0.0.1", server, "udp")).toEqual([]);
  expect(found.upstreams("10.0.0.1", service, "udp").map(({ address }) => address)).not.toContain(ip);
  found.update(before.cluster, before.tiers, []);
  expect(found.upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
});

test("S9.7: policies of other APIs do not keep pods from asking", () => {
  const calico = `
apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: { name: closed }
spec: { selector: all(), types: [Ingress, Egress] }
`;
  expect(read(cluster, calico).tiers.egress.map(({ name }) => name)).toContain("foreign");
  expect(reach(cluster, calico).upstreams("10.0.0.1", service, "udp")).toHaveLength(2);
});

test("S1.16: a server that may be a node has to be allowed as a node, too", () => {
  const server = { address: "10.0.9.1", port: 53 };
  const node = `
kind: Node
apiVersion: v1
metadata: { name: here }
spec: { podCIDRs: [10.0.9.0/24] }
`;
  const noNodes = `
kind: ClusterNetworkPolicy
apiVersion: policy.networking.k8s.io/v1alpha2
metadata: { name: no-nodes }
spec: { tier: Admin, priority: 1, subject: { namespaces: {} }, egress: [{ action: Deny, to: [{ nodes: {} }] }] }
`;
  expect(reach(cluster, noNodes).upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
  expect(reach(cluster, node).upstreams("10.0.0.1", server, "udp")).toHaveLength(1);
  expect(reach(cluster, node, noNodes).upstreams("10.0.0.1", server, "udp")).toEqual([]);
});
