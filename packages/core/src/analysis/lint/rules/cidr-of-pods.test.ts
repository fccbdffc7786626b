import { describe, expect, it } from "vitest";
import { parseCidr } from "../../../net/cidr.js";
import { linted } from "../../../../testing/linted.js";
import { namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { cidrOfPods } from "./cidr-of-pods.js";

const cluster =
  namespace("shop") +
  pod("shop/cart", { ips: ["10.244.1.7", "fd00:10:244::7"] }) +
  pod("shop/agent", { ips: ["192.0.2.1"], hostNetwork: true });
const from = (cidr: string) =>
  networkPolicy("shop/np", { ingress: `[{from: [{ipBlock: {cidr: ${cidr}}}]}]` });
const podCidrs = [parseCidr("10.244.0.0/16")!];

describe("a CIDR of pods", () => {
  it.each([
    [
      "an address of a pod",
      "10.244.1.7/32",
      "[10.244.1.7/32] `10.244.1.7/32` is the address of pod shop/cart",
    ],
    [
      "in either family",
      "fd00:10:244::7/128",
      "[fd00:10:244::7/128] `fd00:10:244::7/128` is the address of pod shop/cart",
    ],
  ])("%s", (_what, cidr, expected) => expect(linted(cidrOfPods, cluster + from(cidr))).toEqual([expected]));

  it("a part of their range, where that is known", () =>
    expect(linted(cidrOfPods, cluster + from("10.244.8.0/24"), { facts: { podCidrs } })).toEqual([
      "[10.244.8.0/24] `10.244.8.0/24` holds only pods: it is in their range 10.244.0.0/16",
    ]));

  it("S7.5: Cilium's match nothing then", () => {
    const cilium = `---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cnp, namespace: shop}
spec: {endpointSelector: {}, ingress: [{fromCIDR: [10.244.1.7/32]}]}
`;
    expect(linted(cidrOfPods, cluster + cilium)).toEqual([
      "[10.244.1.7/32] `10.244.1.7/32` is the address of pod shop/cart; Cilium's CIDRs never match pods, so it matches nothing",
    ]);
  });

  it.each([
    ["a network around a pod, as long as the range of pods is not known", "10.244.1.0/24"],
    ["the address of a node", "192.0.2.1/32"],
    ["an external address", "203.0.113.7/32"],
    ["everything", "0.0.0.0/0"],
  ])("does not report %s", (_what, cidr) => expect(linted(cidrOfPods, cluster + from(cidr))).toEqual([]));
});
