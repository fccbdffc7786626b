import { describe, expect, it } from "vitest";
import { parseRemoval } from "./removal.js";

describe("what is to be deleted", () => {
  it.each([
    ["NetworkPolicy", { kind: "NetworkPolicy" }],
    ["netpol/shop/web", { kind: "NetworkPolicy", namespace: "shop", name: "web" }],
    ["networkpolicies/web", { kind: "NetworkPolicy", name: "web" }],
    ["ClusterNetworkPolicy/guard", { kind: "ClusterNetworkPolicy", name: "guard" }],
    [
      "clusternetworkpolicies.netpol.networking.k8s.io",
      { kind: "ClusterNetworkPolicy", group: "netpol.networking.k8s.io" },
    ],
    ["ns/shop", { kind: "Namespace", name: "shop" }],
  ])("%s", (text, wanted) => {
    expect(parseRemoval(text)).toEqual({ ok: true, value: { text, ...wanted } });
  });

  it.each([
    ["NetworkPolcy", "`NetworkPolcy` is not a known kind; did you mean `NetworkPolicy`?"],
    ["Pod.apps/x", "Pod is a kind of `core`"],
    ["ClusterNetworkPolicy/a/b", "is not an object; write KIND, KIND/NAME"],
    ["NetworkPolicy/", "is not an object"],
    ["NetworkPolicy/a/b/c", "is not an object"],
  ])("%s is refused", (text, why) => {
    const parsed = parseRemoval(text);
    expect(parsed.ok ? "" : parsed.diagnostic.message).toContain(why);
  });
});

it("a file is not an object", () => {
  const found = parseRemoval("k8s/netpol.yaml");
  expect(found.ok ? "" : found.diagnostic.message).toBe(
    "`k8s/netpol.yaml` is a file; name the objects to delete, such as `NetworkPolicy/shop/web`",
  );
});
