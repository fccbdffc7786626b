import { describe, expect, it } from "vitest";
import { parseAddress } from "../../net/address.js";
import { compile } from "../../engine/engine.js";
import { evaluate } from "../../evaluate/evaluate.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { world } from "../../../testing/world.js";
import { endpointsAt } from "./resolve.js";

const node = (name: string, address: string, podCIDRs: string, annotations = "") =>
  `{apiVersion: v1, kind: Node, metadata: {name: ${name}, annotations: {${annotations}}},
    spec: {podCIDRs: [${podCIDRs}]}, status: {addresses: [{type: InternalIP, address: ${address}}]}}`;
const pod = (name: string, address: string, more = "") =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, labels: {app: ${name}}},
    spec: {nodeName: n1${more}}, status: {podIPs: [{ip: "${address}"}]}}`;

const calico = `"projectcalico.org/IPv4Address": 172.20.0.1/24, "projectcalico.org/IPv4IPIPTunnelAddr": 10.9.0.64,
  "projectcalico.org/IPv6VXLANTunnelAddr": "fd09::40"`;
const flannel = `"flannel.alpha.coreos.com/backend-type": vxlan, "flannel.alpha.coreos.com/public-ip": 198.51.100.2`;

const cluster = [
  "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
  node("n1", "192.168.0.1", '10.244.1.0/24, "fd10:1::/64"'),
  node("n2", "192.168.0.2", "10.244.2.0/24", calico),
  node("n3", "192.168.0.3", '10.244.3.0/24, "fd10:3::/64"', flannel),
  pod("client", "10.244.1.5"),
  pod("second", "10.244.3.1"),
  pod("twin-1", "10.244.1.9"),
  pod("twin-2", "10.244.1.9"),
  pod("proxy", "192.168.0.1", ", hostNetwork: true"),
];

const owners = (address: string) =>
  endpointsAt(world(cluster.join("\n---\n")).state.cluster, parseAddress(address)!).map(formatEndpoint);

describe("who has an address", () => {
  it.each([
    ["192.168.0.2", ["node n2"]],
    ["172.20.0.1", ["node n2"]],
    ["10.9.0.64", ["node n2"]],
    ["fd09::40", ["node n2"]],
    ["198.51.100.2", ["node n3"]],
    ["10.244.3.0", ["node n3"]],
    ["fd10:3::1", ["node n3"]],
  ])("S1.16: %s is the node's, as its status or its annotations say", (address, expected) => {
    expect(owners(address)).toEqual(expected);
  });

  it.each([
    ["10.244.1.1", ["node n1", "10.244.1.1"]],
    ["fd10:1::1", ["node n1", "fd10:1::1"]],
    ["10.244.3.7", ["node n3", "10.244.3.7"]],
  ])("S1.16: %s, in a node's pod range, may be the node's where no pod has it", (address, expected) => {
    expect(owners(address)).toEqual(expected);
  });

  it("S1.16: a pod that reports an address comes before the node whose range it is in", () => {
    expect(owners("10.244.3.1")).toEqual(["a/second"]);
    expect(owners("10.244.1.5")).toEqual(["a/client"]);
  });

  it("S1.17: an address that two pods report is both pods', and no other is", () => {
    expect(owners("10.244.1.9")).toEqual(["a/twin-1", "a/twin-2"]);
    expect(owners("203.0.113.7")).toEqual(["203.0.113.7"]);
  });
});

describe("what is asked about such an address", () => {
  const denyNodes = `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: no-nodes},
    spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{nodes: {}}]}]}}`;
  const denyTwin = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: closed},
    spec: {podSelector: {matchLabels: {app: twin-2}}, policyTypes: [Ingress]}}`;
  const verdict = (policy: string, question: string) =>
    world([...cluster, policy].join("\n---\n")).verdict(question);

  it.each([
    ["192.168.0.1", "Deny"],
    ["10.9.0.64", "Deny"],
    ["10.244.3.0", "Deny"],
    ["10.244.1.1", "Mixed"],
    ["10.244.1.9", "Allow"],
    ["203.0.113.7", "Allow"],
  ])("S1.16: with nodes denied, a/client to %s: %s", (address, expected) => {
    expect(verdict(denyNodes, `a/client -> ${address}:10250/TCP`)).toBe(expected);
  });

  it("S1.6, S1.16: the gateway of a pod's own node may be that node, which reaches the pod", () => {
    const closed = denyTwin.replace("{matchLabels: {app: twin-2}}", "{}");
    expect(verdict(closed, "10.244.1.1 -> a/client:80/TCP")).toBe("Mixed");
    expect(verdict(closed, "192.168.0.1 -> a/client:80/TCP")).toBe("Allow");
  });

  it("S1.16: the engine evaluates a node by the address of the question, as the evaluator does", () => {
    const block = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: to-tunnel},
      spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.9.0.64/32}}]}]}}`;
    const { state } = world([...cluster, block].join("\n---\n"));
    const engine = compile(state.cluster, state.tiers);
    const [client] = endpointsAt(state.cluster, parseAddress("10.244.1.5")!);
    for (const [address, expected] of [
      ["10.9.0.64", "Allow"],
      ["192.168.0.2", "Deny"],
    ] as const) {
      const [node] = endpointsAt(state.cluster, parseAddress(address)!);
      const flow = { source: client!, destination: node!, protocol: "TCP", port: 80, family: 4 } as const;
      expect(evaluate(state.cluster, state.tiers, flow).verdict).toBe(expected);
      expect(engine.explain(flow).verdict).toBe(expected);
    }
  });

  it("S1.17: where only one of the pods that share an address is closed, the answer is about both", () => {
    expect(verdict(denyTwin, "a/client -> 10.244.1.9:80/TCP")).toBe("Mixed");
    expect(verdict(denyTwin, "a/client -> a/twin-1:80/TCP")).toBe("Allow");
  });
});
