import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../evaluate/flow.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { formatAddress, parseAddress } from "../../net/address.js";
import { parseCidr } from "../../net/cidr.js";
import { world } from "../../../testing/world.js";
import { parseEndpoint, type PortRef } from "./endpoint-ref.js";
import { type Resolved, resolve } from "./resolve.js";
import type { StateOptions } from "../../state/state.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: cart, labels: {app: cart}}, spec: {nodeName: worker-1},
 status: {podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: proxy}, spec: {hostNetwork: true, nodeName: worker-1},
 status: {podIP: 192.168.1.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: lost}, spec: {hostNetwork: true}, status: {podIP: 192.168.9.9}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-5d4f-1, labels: {pod-template-hash: 5d4f},
 ownerReferences: [{kind: ReplicaSet, name: web-5d4f, controller: true}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-5d4f-2, labels: {pod-template-hash: 5d4f},
 ownerReferences: [{kind: ReplicaSet, name: web-5d4f, controller: true}]}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: db}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: t-0, ownerReferences: [{kind: StatefulSet, name: twin, controller: true}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: t-x, ownerReferences: [{kind: DaemonSet, name: twin, controller: true}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: worker-1}, status: {addresses: [{address: 192.168.1.1}, {address: "fd01::1"}]}}
---
{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: front}, spec: {clusterIP: 10.96.0.1, externalIPs: [203.0.113.80], selector: {app: cart}, ports: [{port: 80}]}}
`;

const web: PortRef = { kind: "number", port: 80, protocol: "TCP" };
const resolved = (text: string, options: StateOptions = {}) => {
  const ref = parseEndpoint(text);
  if (!ref.ok) throw new Error(ref.diagnostic.message);
  return resolve(world(cluster, options).state.cluster, ref.value, "destination", web);
};
const showEnd = (end: Endpoint) =>
  end.kind === "node" && end.address !== undefined
    ? `${formatEndpoint(end)} at ${formatAddress(end.address)}`
    : formatEndpoint(end);
const show = ({ label, endpoints, service, family }: Resolved) =>
  [
    label,
    ...endpoints.map(showEnd),
    ...(service === undefined ? [] : [`via ${service.name}`]),
    ...(family === undefined ? [] : [`IPv${family}`]),
  ].join(" | ");
const found = (text: string, options: StateOptions = {}) => {
  const result = resolved(text, options);
  return result.ok ? show(result.value) : `${result.diagnostic.code} ${result.diagnostic.message}`;
};

describe("what a name resolves to", () => {
  it.each([
    ["a pod", "shop/cart", "shop/cart | shop/cart"],
    ["a pod, said in full", "shop/Pod/cart", "shop/cart | shop/cart"],
    ["a workload by its bare name: all its pods", "shop/web", "shop/web | shop/web-5d4f-1 | shop/web-5d4f-2"],
    ["a workload", "shop/Deployment/web", "shop/Deployment/web | shop/web-5d4f-1 | shop/web-5d4f-2"],
    ["in kubectl's short form", "shop/deploy/web", "shop/Deployment/web | shop/web-5d4f-1 | shop/web-5d4f-2"],
    ["in the plural", "shop/deployments/web", "shop/Deployment/web | shop/web-5d4f-1 | shop/web-5d4f-2"],
    ["in any case", "shop/STATEFULSET/db", "shop/StatefulSet/db | shop/db"],
    ["sts", "shop/sts/twin", "shop/StatefulSet/twin | shop/t-0"],
    ["ds", "shop/ds/twin", "shop/DaemonSet/twin | shop/t-x"],
    ["a Service", "shop/svc/front", "Service shop/front | via front"],
    ["a node", "node:worker-1", "node worker-1 | node worker-1"],
  ])("%s: %s", (_what, text, expected) => expect(found(text)).toBe(expected));
});

describe("S1.9: what an address resolves to", () => {
  it.each([
    ["a pod", "10.0.0.1", "shop/cart | shop/cart | IPv4"],
    ["the same pod in its other family", "fd00::1", "shop/cart | shop/cart | IPv6"],
    ["a mapped one is IPv4", "::ffff:10.0.0.1", "shop/cart | shop/cart | IPv4"],
    [
      "a node, also where a host-network pod has it",
      "192.168.1.1",
      "node worker-1 | node worker-1 at 192.168.1.1 | IPv4",
    ],
    ["a node, by any of its addresses", "fd01::1", "node worker-1 | node worker-1 at fd01::1 | IPv6"],
    ["a host-network pod whose node is not in the input", "192.168.9.9", "shop/lost | shop/lost | IPv4"],
    ["a Service", "10.96.0.1", "Service shop/front | via front | IPv4"],
    ["a Service, by an external address", "203.0.113.80", "Service shop/front | via front | IPv4"],
    ["the outside", "203.0.113.7", "203.0.113.7 | 203.0.113.7 | IPv4"],
    ["the outside, in one way of writing", "2001:DB8:0::7", "2001:db8::7 | 2001:db8::7 | IPv6"],
  ])("%s: %s", (_what, text, expected) => expect(found(text)).toBe(expected));

  it("TW1506: an address in the Service range that no Service has", () => {
    const options: StateOptions = { facts: { serviceCidrs: [parseCidr("10.96.0.0/16")!] } };
    expect(found("10.96.0.2", options)).toMatch(/^TW1506 10\.96\.0\.2 is a Service address/);
    expect(found("10.96.0.1", options)).toBe("Service shop/front | via front | IPv4");
    expect(found("10.97.0.2", options)).toBe("10.97.0.2 | 10.97.0.2 | IPv4");
  });
});

describe("a pod that does not exist yet", () => {
  const newPod = (text: string) => {
    const result = resolved(text);
    if (!result.ok || result.value.endpoints[0]?.kind !== "pod") throw new Error("not a pod");
    return result.value.endpoints[0];
  };

  it("has the labels it is given, in a namespace that does not exist either", () => {
    const { pod, namespace } = newPod("new:team=b/app=web");
    expect(namespace.labels).toMatchObject({ team: "b" });
    expect(pod).toMatchObject({ labels: { app: "web" }, addresses: [], ports: [], hostNetwork: false });
  });

  it("S1.10: its namespace carries a name as a label like any other", () => {
    expect(newPod("new:team=b/app=web").namespace.labels).toHaveProperty(["kubernetes.io/metadata.name"]);
  });

  it("in a namespace that exists, has that one's labels too, and may change them", () => {
    const name = "kubernetes.io/metadata.name";
    expect(newPod(`new:${name}=shop/app=web`).namespace).toEqual({
      name: "shop",
      labels: { team: "a", [name]: "shop" },
    });
    expect(newPod(`new:${name}=shop,team=z/`).namespace.labels).toEqual({ team: "z", [name]: "shop" });
    expect(newPod(`new:${name}=elsewhere/`).namespace).toEqual({
      name: "elsewhere",
      labels: { [name]: "elsewhere" },
    });
  });
});

describe("TW1502: what does not exist, and what was probably meant", () => {
  it.each([
    ["shop/carts", "there is no pod or workload `shop/carts`; did you mean `shop/cart`?"],
    ["shop/nothing-like-it", "there is no pod or workload `shop/nothing-like-it`"],
    [
      "shopp/cart",
      "there is no pod or workload `shopp/cart`, and no namespace `shopp`; did you mean `shop`?",
    ],
    ["shop/Deployment/wep", "there is no Deployment `shop/wep` with pods; did you mean `web`?"],
    ["shop/Deployment/cart", "there is no Deployment `shop/cart` with pods"],
    ["shop/Service/back", "there is no Service `shop/back`"],
    ["shop/Deploiment/web", "`Deploiment` is not a kind of workload; did you mean `Deployment`?"],
    ["node:worker-2", "there is no node `worker-2`; did you mean `worker-1`?"],
    ["node:elsewhere", "there is no node `elsewhere`"],
    ["shop/twin", "`shop/twin` could be `shop/StatefulSet/twin` or `shop/DaemonSet/twin`; specify which one"],
  ])("%s", (text, message) => {
    const result = resolved(text);
    if (result.ok) throw new Error("found");
    expect(result.diagnostic).toMatchObject({ code: "TW1502", message });
  });

  it("a pod that finished is not there any more (S1.11)", () => {
    const finished =
      "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: done}, status: {phase: Succeeded, podIP: 10.0.0.77}}";
    const { cluster: withFinished } = world(`${cluster}---\n${finished}`).state;
    expect(resolve(withFinished, { kind: "named", namespace: "shop", name: "done" }, "source", web).ok).toBe(
      false,
    );
    const byAddress = resolve(
      withFinished,
      { kind: "address", address: parseAddress("10.0.0.77")! },
      "source",
      web,
    );
    expect(byAddress.ok && byAddress.value.endpoints[0]?.kind).toBe("external");
  });
});
