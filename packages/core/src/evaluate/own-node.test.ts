import { describe, expect, it } from "vitest";
import type { StateOptions } from "../state/state.js";
import { world } from "../../testing/world.js";

/** Two nodes; n1 has several addresses, one of them public. `unplaced` and the Deployment have no node yet. */
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}, {type: InternalIP, address: "fd00:1::1"}, {type: ExternalIP, address: 203.0.113.1}, {type: Hostname, address: n1}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, spec: {nodeName: n1}, status: {podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: neighbour}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: agent-1}, spec: {nodeName: n1, hostNetwork: true}, status: {podIP: 192.168.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: agent-2}, spec: {nodeName: n2, hostNetwork: true}, status: {podIP: 192.168.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: starting-agent}, spec: {hostNetwork: true}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: unplaced, labels: {app: unplaced}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: a, name: web}, spec: {template: {metadata: {labels: {app: web}}}}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: a, name: server}, spec: {clusterIP: 10.96.0.1, selector: {app: server}, ports: [{port: 80}]}}
`;

const given = (policies: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...policies].join("\n---\n"), options);

const closed =
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: closed}, spec: {podSelector: {}, policyTypes: [Ingress, Egress]}}";
const closedIn = closed.replace("[Ingress, Egress]", "[Ingress]");

const cilium = (spec: string) =>
  `{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: a, name: deny}, spec: {endpointSelector: {}, ${spec}}}`;

describe("S1.6: a pod and itself", () => {
  it.each([
    ["by its name", "a/server -> a/server:80/TCP"],
    ["by its address", "a/server -> 10.1.0.1:80/TCP"],
    ["by its other address", "a/server -> [fd00::1]:80/TCP"],
    ["with ICMP", "a/server -> a/server:ICMP"],
    ["before it has an address", "a/unplaced -> a/unplaced:80/TCP"],
  ])("S1.6: a pod reaches its own address, %s, whatever the policies", (_, question) => {
    expect(given([closed]).ask(question)).toMatchObject({
      verdict: "Allow",
      egress: "own-address",
      ingress: "own-address",
    });
  });

  it.each(["a/svc/server", "10.96.0.1"])("S1.6: back to itself through Service %s both walks apply", (to) => {
    expect(given([closed]).ask(`a/server -> ${to}:80/TCP`)).toMatchObject({
      verdict: "Deny",
      egress: "isolation by NetworkPolicy a/closed",
      ingress: "isolation by NetworkPolicy a/closed",
    });
  });

  it("S1.6: a workload's template represents all its replicas, so the other endpoint is not itself", () => {
    expect(given([closed]).verdict("a/web -> a/web:80/TCP")).toBe("Deny");
  });

  it("S1.6: another pod of the same node is not itself", () => {
    expect(given([closedIn]).verdict("a/neighbour -> a/server:80/TCP")).toBe("Deny");
  });
});

describe("S1.6: a node and its pods", () => {
  it.each(["node:n1", "192.168.0.1", "fd00:1::1", "203.0.113.1", "a/agent-1"])(
    "S1.6: %s reaches the pods of n1",
    (from) => {
      expect(given([closed]).ask(`${from} -> a/server:8080/TCP`)).toMatchObject({
        verdict: "Allow",
        ingress: "own-node",
      });
      expect(given([closed]).verdict(`${from} -> a/server:ICMP`)).toBe("Allow");
    },
  );

  it.each(["node:n2", "192.168.0.2", "a/agent-2", "203.0.113.2"])(
    "S1.6: %s is not the node of that pod, and is evaluated like any other",
    (from) => {
      expect(given([closed]).ask(`${from} -> a/server:8080/TCP`)).toMatchObject({
        verdict: "Deny",
        ingress: "isolation by NetworkPolicy a/closed",
      });
    },
  );

  it("S1.6: it holds for every tier, and with rules that failed closed (S3.6)", () => {
    const everything = `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterNetworkPolicy, metadata: {name: wall},
      spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Deny}]}}`;
    const newer = `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: newer, uid: "1"},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{tomorrow: {}}]}]}}`;
    for (const policy of [everything, newer]) {
      expect(given([policy]).verdict("node:n1 -> a/server:80/TCP")).toBe("Allow");
      expect(given([policy]).verdict("node:n2 -> a/server:80/TCP")).toBe("Deny");
    }
  });

  it("S1.6: a connection from a pod to its node is evaluated like any other", () => {
    expect(given([closed]).ask("a/server -> node:n1:10250/TCP")).toMatchObject({
      verdict: "Deny",
      egress: "isolation by NetworkPolicy a/closed",
    });
  });

  it.each([
    ["node:n1", "a/unplaced", "whether a/unplaced runs on node n1"],
    ["192.168.0.1", "a/unplaced", "whether a/unplaced runs on node n1"],
    ["a/agent-2", "a/web", "whether a/web runs on node n2"],
    ["a/starting-agent", "a/server", "whether a/server runs on the node of a/starting-agent"],
  ])("S1.6: %s to %s, where a node is not known: Undecided where it matters", (from, to, fact) => {
    expect(given([closedIn]).ask(`${from} -> ${to}:80/TCP`)).toMatchObject({
      verdict: "Undecided",
      ingress: "isolation by NetworkPolicy a/closed or own-node",
      missing: [fact],
    });
    expect(given([]).ask(`${from} -> ${to}:80/TCP`)).toMatchObject({ verdict: "Allow", missing: [] });
  });
});

describe("S7.8: the one exception", () => {
  const question = "node:n1 -> a/server:80/TCP";

  it.each([
    ["every entity", "fromEntities: [all]"],
    ["the host", "fromEntities: [host]"],
    ["the cluster", "fromEntities: [cluster]"],
    ["the port", 'toPorts: [{ports: [{port: "80", protocol: TCP}]}]'],
  ])("S7.8: an ingressDeny item for %s blocks the pod's own node", (_, item) => {
    expect(given([cilium(`ingressDeny: [{${item}}]`)]).ask(question)).toMatchObject({
      verdict: "Deny",
      decidedBy: "CiliumNetworkPolicy a/deny",
    });
  });

  it.each([
    ["an ingressDeny item for other nodes", "ingressDeny: [{fromEntities: [remote-node]}]"],
    ["an ingressDeny item for another port", 'ingressDeny: [{toPorts: [{ports: [{port: "81"}]}]}]'],
    ["an egressDeny item", "egressDeny: [{toEntities: [all]}]"],
    [
      "an ingress item that fails authentication",
      "ingress: [{fromEntities: [all], authentication: {mode: test-always-fail}}]",
    ],
    ["isolation", "ingress: [{fromEndpoints: [{}]}]"],
  ])("S7.8: %s does not", (_, spec) => {
    expect(given([cilium(spec)]).ask(question)).toMatchObject({ verdict: "Allow", ingress: "own-node" });
  });

  it("S7.8: of the own node's traffic an item speaks though an earlier tier allows it", () => {
    const allow = `{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterNetworkPolicy, metadata: {name: open},
      spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Allow}]}}`;
    expect(given([allow, cilium("ingressDeny: [{fromEntities: [host]}]")]).verdict(question)).toBe("Deny");
  });

  it("S7.8: nor does enforcement for every pod cut off the node", () => {
    expect(given([], { ciliumEnforcement: "always" }).verdict(question)).toBe("Allow");
    expect(given([], { ciliumEnforcement: "always" }).verdict("node:n2 -> a/server:80/TCP")).toBe("Deny");
  });
});
