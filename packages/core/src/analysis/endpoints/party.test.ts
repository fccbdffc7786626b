import { describe, expect, test } from "vitest";
import type { Pod } from "../../cluster/model.js";
import { formatParty, type Grain, partyKey, partyOf } from "./party.js";

const pod: Pod = {
  namespace: "shop",
  name: "cart-7d9f-x2x",
  labels: {},
  addresses: [],
  hostNetwork: false,
  ports: [],
  serviceAccount: "default",
  hostAddresses: [],
};
const namespace = { name: "shop", labels: {} };
const ofPod = (more: Partial<Pod>, grain: Grain) =>
  partyOf({ kind: "pod", pod: { ...pod, ...more }, namespace }, grain);
const cart = { kind: "Deployment", namespace: "shop", name: "cart" };

describe("an endpoint has the name that users know", () => {
  test.each([
    ["a pod, pod by pod", ofPod({ workload: cart }, "pod"), "pod shop/cart-7d9f-x2x", "shop/cart-7d9f-x2x"],
    ["a pod of a Deployment", ofPod({ workload: cart }, "workload"), "Deployment shop/cart", "shop/cart"],
    ["a pod by itself", ofPod({}, "workload"), "Pod shop/cart-7d9f-x2x", "shop/cart-7d9f-x2x"],
    ["all of a namespace", ofPod({ workload: cart }, "namespace"), "namespace shop", "namespace shop"],
    [
      "a node",
      partyOf({ kind: "node", node: { name: "worker-1", addresses: [] } }, "namespace"),
      "node worker-1",
      "node worker-1",
    ],
  ])("%s", (_, party, key, text) => {
    expect([partyKey(party), formatParty(party)]).toEqual([key, text]);
  });

  test("a Deployment and a StatefulSet of one name are two parties", () => {
    const set = ofPod({ workload: { ...cart, kind: "StatefulSet" } }, "workload");
    expect(partyKey(set)).not.toBe(partyKey(ofPod({ workload: cart }, "workload")));
  });
});
