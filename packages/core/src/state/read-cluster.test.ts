import { describe, expect, it } from "vitest";
import { readCluster } from "./read-cluster.js";

const pod = "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: cart}}\n";
const policy =
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: payments, name: np}, spec: {podSelecter: {}}}\n";

const read = (...texts: readonly string[]) =>
  readCluster(texts.map((text, i) => ({ file: `${i}.yaml`, text })));

describe("the endpoints of a cluster", () => {
  it("pods and their namespaces", () => {
    const { pods, namespaces } = read(pod);
    expect([[...pods.keys()], [...namespaces.keys()]]).toEqual([["shop/cart"], ["shop"]]);
  });

  it("namespaces that only a policy mentions, whatever its spec", () => {
    expect([...read(policy).namespaces.keys()]).toEqual(["payments"]);
  });

  it("what is before a mistake, and in other files", () => {
    expect([...read(`${pod}---\n{`, pod.replace("cart", "web")).pods.keys()]).toEqual([
      "shop/cart",
      "shop/web",
    ]);
  });

  it("nothing for an empty input", () => {
    expect(read().pods.size).toBe(0);
  });
});
