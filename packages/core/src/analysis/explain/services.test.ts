import { describe, expect, it } from "vitest";
import { appPod, namespace } from "../../../testing/manifests.js";
import { problemsIn, world } from "../../../testing/world.js";

/* Services, whose addresses policies never see (S1.9), in the ways real clusters have them. */

const ports = "{name: web, containerPort: 8080}";
const pod = (name: string, ips: readonly string[]) => appPod(`x/${name}`, { ips, ports });
const ends = `${namespace("x")}${pod("client", ["10.0.0.1", "fd00::1"])}${pod("server", ["10.0.0.2", "fd00::2"])}`;
const service = (spec: string, status = "{}") => `---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: x}
spec: {selector: {app: server}, ports: [{name: web, port: 80, targetPort: web}], ${spec}}
status: ${status}
`;
const slice = (addresses: string, target = "") => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: s-1, namespace: x, labels: {kubernetes.io/service-name: s}}
endpoints: [{addresses: [${addresses}]${target}}]
ports: [{name: web, port: 8080}]
`;
const server = (rules: string) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: x}
spec: {podSelector: {matchLabels: {app: server}}, ${rules}}
`;
const from4 = server("ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]");

describe("S1.9: which port is evaluated", () => {
  it.each([
    ["a Service's port is mapped", "clusterIP: 10.96.0.1", "x/svc/s:80", "Allow"],
    ["by its address as well", "clusterIP: 10.96.0.1", "10.96.0.1:80", "Allow"],
    ["a headless Service maps nothing", "clusterIP: None", "x/svc/s:80", "Deny"],
    ["and is asked about the pod's own port", "clusterIP: None", "x/svc/s:8080", "Allow"],
    ["by name it is the port of that name", "clusterIP: None", "x/svc/s:web", "Allow"],
  ])("%s", (_what, spec, to, verdict) => {
    const only8080 = server("ingress: [{ports: [{port: 8080}]}]");
    expect(world(`${ends}${service(spec)}${only8080}`).verdict(`x/client -> ${to}`)).toBe(verdict);
  });
});

describe("S1.9, S1.15: which families lead there", () => {
  it.each([
    ["an IPv4 address", "clusterIP: 10.96.0.1", slice("10.0.0.2"), "Allow"],
    ["an IPv4 family, without an address", "clusterIP: None, ipFamilies: [IPv4]", "", "Allow"],
    ["an IPv6 family", "clusterIP: None, ipFamilies: [IPv6]", "", "Deny"],
    ["a slice of IPv4 addresses alone", "clusterIP: None", slice("10.0.0.2"), "Allow"],
    ["both families, which differ", 'clusterIPs: [10.96.0.1, "fd01::1"]', "", "Mixed"],
  ])("%s", (_what, spec, slices, verdict) => {
    const asked = world(`${ends}${service(spec)}${slices}${from4}`);
    expect(asked.verdict("x/client -> x/svc/s:web")).toBe(verdict);
  });
});

describe("S1.9: its endpoints", () => {
  it("a pod that the slice names and the input does not have is unknown, and so there is no answer", () => {
    const asked = world(`${ends}${service("")}${slice("10.0.0.9", ", targetRef: {kind: Pod, name: gone}")}`);
    expect(() => asked.ask("x/client -> x/svc/s:80")).toThrow("TW1506 pod x/gone");
  });

  it("an address that a node and a load balancer share is answered by port", () => {
    const node =
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: w1}\nstatus: {addresses: [{address: 192.168.0.1}]}\n";
    const shared = service("clusterIP: 10.96.0.1", "{loadBalancer: {ingress: [{ip: 192.168.0.1}]}}");
    const asked = world(`${ends}${node}${shared}${server("policyTypes: [Ingress]")}`);
    expect(asked.verdict("x/client -> 192.168.0.1:80")).toBe("Deny");
    expect(asked.verdict("x/client -> 192.168.0.1:22")).toBe("Allow");
  });

  it("a Service opens no connections", () => {
    const asked = world(`${ends}${service("clusterIP: 10.96.0.1")}`);
    expect(() => asked.ask("10.96.0.1 -> x/server:80")).toThrow("TW1501");
    expect(() => asked.ask("x/svc/s -> x/server:80")).toThrow("TW1501");
  });
});

it("S9.1: a template represents many replicas, and two of them may have different addresses", () => {
  const web = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: x}
spec: {template: {metadata: {labels: {app: server}}, spec: {containers: [{name: c}]}}}
`;
  const halves = server(
    "policyTypes: [Ingress, Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/17}}]}], ingress: [{from: [{ipBlock: {cidr: 10.0.128.0/17}}]}]",
  );
  const facts = { podCidrs: [{ family: 4, first: 10n << 24n, prefix: 16 }] } as const;
  expect(world(`${namespace("x")}${web}${halves}`, { facts }).verdict("x/server -> x/server:80")).toBe(
    "Undecided",
  );
});

it("a ReplicaSet that a rollout has left behind makes no pods", () => {
  const old = `---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-old, namespace: x, ownerReferences: [{kind: Deployment, name: web, controller: true}]}
spec: {replicas: 0, template: {metadata: {labels: {app: web}}}}
`;
  expect([...world(`${ends}${old}`).state.cluster.pods.keys()]).toEqual(["x/client", "x/server"]);
});

describe("S10.3: what only looks like a known kind", () => {
  it.each([
    ["a chart's values", "kind: DaemonSet\nimage: {tag: latest}\n"],
    ["a patch", "- {op: replace, path: /spec/replicas, value: 3}\n"],
    ["another group's kind", "apiVersion: example.com/v1\nkind: NetworkPolicy\nmetadata: {name: a}\n"],
  ])("%s is counted and left alone", (_what, text) => expect(problemsIn(text)).toEqual(["TW3003"]));

  it.each([
    ["networking.k8s.io/v1", "NetworkPolcy"],
    ["networking.k8s.io/v1", "networkpolicies"],
    ["policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolcy"],
    ["v1", "Namspace"],
    ["apps/v1", "Deploymnt"],
  ])("but %s %s is a misspelled one", (apiVersion, kind) => {
    expect(problemsIn(`apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n`)).toEqual([
      "TW1107 2:7",
    ]);
  });
});
