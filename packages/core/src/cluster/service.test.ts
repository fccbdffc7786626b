import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../net/address.js";
import { problemsIn, world } from "../../testing/world.js";
import { type Cluster, podKey, type Service } from "./model.js";
import { type Backend, backendsOf, podAt } from "./service.js";

const pods = `
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: one, labels: {app: web}}, status: {podIP: 10.0.0.1},
 spec: {containers: [{ports: [{name: http, containerPort: 8080}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: two, labels: {app: web}}, status: {podIP: 10.0.0.2},
 spec: {containers: [{ports: [{name: http, containerPort: 8081}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: other, labels: {app: db}}, status: {podIP: 10.0.0.3}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: web, labels: {app: web}}, status: {podIP: 10.0.0.4}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: host, labels: {}}, spec: {hostNetwork: true}, status: {podIP: 192.168.1.1}}
`;
const service = (spec: string, name = "s") =>
  `{apiVersion: v1, kind: Service, metadata: {namespace: a, name: ${name}}, spec: {${spec}}}`;
const slice = (more: string, name = "s-1") =>
  `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: a, name: ${name}, labels: {kubernetes.io/service-name: s}}, ${more}}`;

function setUp(...documents: readonly string[]): { cluster: Cluster; service: Service } {
  const { cluster } = world([pods, ...documents].join("\n---\n")).state;
  return { cluster, service: cluster.services.find((s) => s.name === "s")! };
}
const formatBackend = (backend: Backend) =>
  `${backend.pod === undefined ? formatAddress(backend.address) : podKey(backend.pod)}:${backend.port ?? "?"}`;
function behind(...documents: readonly string[]): readonly string[] | undefined {
  const found = setUp(...documents);
  return backendsOf(found.cluster, found.service, found.service.ports[0])?.map(formatBackend);
}

const read = (spec: string, more = "") => setUp(service(spec).replace(/}$/, `${more}}`)).service;

describe("S1.9: addresses of a Service", () => {
  it.each([
    ["its cluster IP", "clusterIP: 10.96.0.1", "", ["10.96.0.1"]],
    [
      "both families",
      'clusterIP: 10.96.0.1, clusterIPs: [10.96.0.1, "fd00::1"]',
      "",
      ["10.96.0.1", "fd00::1"],
    ],
    ["none of a headless one", "clusterIP: None, clusterIPs: [None]", "", []],
    ["external IPs", "clusterIP: 10.96.0.1, externalIPs: [192.0.2.1]", "", ["10.96.0.1", "192.0.2.1"]],
    ["the load balancer it asked for", "loadBalancerIP: 192.0.2.2", "", ["192.0.2.2"]],
    [
      "the load balancers it got, but not their names",
      "",
      ', status: {loadBalancer: {ingress: [{ip: 192.0.2.3}, {hostname: lb.example.com}, {ip: "fd00::3"}]}}',
      ["192.0.2.3", "fd00::3"],
    ],
    ["none of an ExternalName", "type: ExternalName, externalName: example.com", "", []],
    ["none where nothing is said", "", "", []],
  ])("%s", (_what, spec, more, expected) =>
    expect(read(spec, more).addresses.map(formatAddress)).toEqual(expected),
  );
});

describe("ports and selector of a Service", () => {
  it("a target is a number, a name, or the port itself; TCP by default", () => {
    const ports = [
      "{port: 80}",
      "{name: dns, port: 53, protocol: UDP, targetPort: 5353}",
      "{name: web, port: 443, targetPort: https}",
      "{name: broken}",
    ];
    expect(read(`ports: [${ports.join()}]`).ports).toEqual([
      { port: 80, protocol: "TCP", targetPort: 80 },
      { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
      { name: "web", port: 443, protocol: "TCP", targetPort: "https" },
    ]);
  });

  it("an empty selector is no selector: the endpoints are maintained manually", () => {
    expect(read("selector: {}")).not.toHaveProperty("selector");
    expect(read("ports: []")).not.toHaveProperty("selector");
    expect(read("selector: {app: web}").selector).toEqual([{ key: "app", operator: "In", values: ["web"] }]);
  });

  it("a selector with a value that is not a string is an error: without it, it would select more", () => {
    const yaml = [pods, service("selector: {app: web, version: 2}")].join("\n---\n");
    expect(problemsIn(yaml).map((problem) => problem.slice(0, 6))).toContain("TW1201");
  });
});

describe("EndpointSlices", () => {
  it("have addresses that are ready, or whose readiness is unknown", () => {
    const endpoints = [
      "{addresses: [10.0.0.1], conditions: {ready: true}}",
      "{addresses: [10.0.0.2], conditions: {ready: false}}",
      "{addresses: [10.0.0.3]}",
      '{addresses: ["fd00::4"], conditions: {}}',
      "{addresses: [db.example.com]}",
    ];
    const ports = "ports: [{name: web, port: 8080}, {port: 9090}, {name: any}]";
    const made = setUp(service("ports: [{port: 80}]"), slice(`${ports}, endpoints: [${endpoints.join()}]`));
    expect(made.service.endpoints?.map(({ address, ports: at }) => [formatAddress(address), at])).toEqual([
      ["10.0.0.1", { web: 8080, "": 9090 }],
      ["10.0.0.3", { web: 8080, "": 9090 }],
      ["fd00::4", { web: 8080, "": 9090 }],
    ]);
  });

  it("without the label belong to no Service", () => {
    const nobodys = slice("endpoints: [{addresses: [10.0.0.1]}]").replace(
      "kubernetes.io/service-name",
      "other",
    );
    expect(setUp(service("ports: [{port: 80}]"), nobodys).service).not.toHaveProperty("endpoints");
  });
});

describe("S1.9: what is behind a Service", () => {
  it("the pods it selects, in its own namespace", () => {
    expect(behind(service("selector: {app: web}, ports: [{port: 80, targetPort: 8080}]"))).toEqual([
      "a/one:8080",
      "a/two:8080",
    ]);
  });

  it("a named target is looked up in each pod", () => {
    expect(behind(service("selector: {app: web}, ports: [{port: 80, targetPort: http}]"))).toEqual([
      "a/one:8080",
      "a/two:8081",
    ]);
  });

  it("EndpointSlices take precedence over the selector", () => {
    const spec = "selector: {app: web}, ports: [{name: web, port: 80, targetPort: 8080}]";
    const first = slice("ports: [{name: web, port: 8080}], endpoints: [{addresses: [10.0.0.1]}]");
    const second = slice("ports: [{name: web, port: 9999}], endpoints: [{addresses: [203.0.113.9]}]", "s-2");
    expect(behind(service(spec), first, second)).toEqual(["a/one:8080", "203.0.113.9:9999"]);
  });

  it("an EndpointSlice without endpoints means that there are none", () => {
    expect(behind(service("selector: {app: web}, ports: [{port: 80}]"), slice("endpoints: []"))).toEqual([]);
  });

  it("a slice in another namespace is for another Service", () => {
    const elsewhere = slice("endpoints: [{addresses: [10.0.0.4]}]").replace("namespace: a", "namespace: b");
    expect(behind(service("ports: [{port: 80}]"), elsewhere)).toBeUndefined();
  });

  it("unknown without a selector and without slices", () => {
    expect(behind(service("ports: [{port: 80}]"))).toBeUndefined();
  });

  it("nothing where the selector selects nothing", () => {
    expect(behind(service("selector: {app: none}, ports: [{port: 80}]"))).toEqual([]);
  });
});

describe("the pod at an address", () => {
  const { cluster } = setUp();
  it.each([
    ["10.0.0.1", "a/one"],
    ["::ffff:10.0.0.1", "a/one"],
    ["10.0.0.9", undefined],
    // The address of a host-network pod is its node's.
    ["192.168.1.1", undefined],
  ])("%s: %s", (text, expected) => {
    const pod = podAt(cluster, parseAddress(text)!);
    expect(pod && `${pod.namespace}/${pod.name}`).toBe(expected);
  });
});
