import { parseCidr } from "@tierwall/core/model";
import { readState } from "@tierwall/core/state";
import { expect, it } from "vitest";
import { InsideAddresses } from "./reach.js";

const { cluster } = readState([
  {
    file: "cluster.yaml",
    text: `
{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {projectcalico.org/IPv4VXLANTunnelAddr: 172.30.0.1}}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: n2}, status: {podIPs: [{ip: 172.20.0.7}, {ip: "fd00::7"}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.96.0.10, externalIPs: [198.51.100.5], ports: [{port: 80}]}, status: {loadBalancer: {ingress: [{ip: 198.51.100.6}]}}}
`,
  },
]);
const inside = new InsideAddresses(cluster, [parseCidr("10.244.0.0/16")!, parseCidr("fd01::/48")!], () => [
  "10.9.9.9",
]);

it.each([
  ["172.20.0.7", "pod"],
  ["fd00::7", "pod"],
  ["192.168.0.1", "node"],
  ["10.9.9.9", "node"],
  ["172.30.0.1", "node"],
  ["10.96.0.10", "service"],
  ["198.51.100.5", "service"],
  ["198.51.100.6", "service"],
  ["10.244.3.4", "pod-range"],
  ["fd01::4", "pod-range"],
  ["169.254.169.254", "special"],
  ["127.0.0.1", "special"],
  ["::1", "special"],
  ["::ffff:203.0.113.7", "special"],
  ["64:ff9b::169.254.169.254", "special"],
  ["64:ff9b::172.20.0.7", "pod"],
  ["64:ff9b::192.168.0.1", "node"],
  ["64:ff9b::10.244.3.4", "pod-range"],
  ["no address", "special"],
  ["203.0.113.7", undefined],
  ["2001:db8::7", undefined],
  ["64:ff9b::203.0.113.7", undefined],
])("S8.4: %s is %s", (address, expected) => {
  expect(inside.whyInside(address)).toBe(expected);
});
