import { expect, test } from "vitest";
import { answerEndpoints } from "./endpoints.js";
import { HeldState } from "../held-state.js";
import { answerPorts } from "./ports.js";

const text = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: c, ports: [{name: http, containerPort: 8080}, {containerPort: 9090}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: twin, namespace: shop}
spec:
  selector: {matchLabels: {app: twin}}
  template: {metadata: {labels: {app: twin}}, spec: {containers: []}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: twin, namespace: shop}
spec:
  selector: {matchLabels: {app: twin}}
  template: {metadata: {labels: {app: twin}}, spec: {containers: []}}
---
apiVersion: v1
kind: Pod
metadata: {name: carrier, namespace: lab}
status: {podIP: 10.1.0.9}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {clusterIP: 10.96.0.7, selector: {app: cart}, ports: [{name: web, port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}
`;

const held = new HeldState({
  title: "a shop",
  revision: "1",
  provenance: "file",
  sources: [{ file: "shop.yaml", text }],
});

test.each([
  [
    "the beginning of a name comes first",
    "ca",
    "destination",
    ["shop/cart Deployment", "lab/carrier Pod 10.1.0.9", "shop/Service/cart Service 80/TCP"],
  ],
  ["Services open no connections", "cart", "source", ["shop/cart Deployment"]],
  [
    "two of the same name are distinguished by their kind",
    "twin",
    "source",
    ["shop/Deployment/twin Deployment", "shop/StatefulSet/twin StatefulSet"],
  ],
  ["words may come apart", "shop twi dep", "source", ["shop/Deployment/twin Deployment"]],
  ["nodes", "worker", "source", ["node:worker-1 Node 192.168.0.1"]],
  ["an address of a pod", "10.1.0.9", "source", ["10.1.0.9 lab/carrier"]],
  ["an address of a node", "192.168.0.1", "source", ["192.168.0.1 node worker-1"]],
  ["an address of a Service", "10.96.0.7", "destination", ["10.96.0.7 Service shop/cart"]],
  ["an address outside the cluster", "203.0.113.7", "destination", ["203.0.113.7 outside the cluster"]],
  ["no match", "xyz", "source", []],
] as const)("%s: %s", (_, typed, role, expected) => {
  const found = answerEndpoints(held, { text: typed, role });
  expect(found.map(({ value, detail }) => `${value} ${detail}`).toSorted()).toEqual(expected.toSorted());
  expect(found[0] && `${found[0].value} ${found[0].detail}`).toBe(expected[0]);
});

test("nothing typed yet offers all endpoints, workloads first", () => {
  const kinds = answerEndpoints(held, { text: "", role: "destination" }).map(({ kind }) => kind);
  expect(kinds).toEqual(["workload", "workload", "workload", "service", "node", "pod"]);
});

test.each([
  ["shop/cart", ["8080/TCP http", "9090/TCP"]],
  ["shop/Deployment/cart", ["8080/TCP http", "9090/TCP"]],
  ["shop/Service/cart", ["80/TCP web"]],
  ["203.0.113.7", []],
  ["not an endpoint", []],
])("the ports of %s", (to, expected) => {
  const ports = answerPorts(held, { to }).map(({ value, name = "" }) => `${value} ${name}`.trim());
  expect(ports).toEqual(expected);
});
