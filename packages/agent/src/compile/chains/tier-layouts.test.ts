import { describe, expect, it } from "vitest";
import { nodeWorld, podYaml } from "../../../testing/node-world.js";

const others = Array.from({ length: 20 }, (_, i) => podYaml(`play/p${i}`, `10.0.1.${i}`, { node: "there" }));
const cluster = podYaml("shop/web", "10.0.0.1") + podYaml("shop/cart", "10.0.0.2") + others.join("");

/** Denies connections from pods, except for those of the namespace, and uses the labels of all of them. */
const baseline = `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: BaselineAdminNetworkPolicy
metadata: { name: default }
spec:
  subject: { namespaces: { matchLabels: { kubernetes.io/metadata.name: shop } } }
  ingress:
    - action: Allow
      from: [{ namespaces: { matchLabels: { kubernetes.io/metadata.name: shop } } }]
    - action: Deny
      from: [{ pods: { namespaceSelector: {}, podSelector: { matchExpressions: [{ key: app, operator: Exists }] } } }]
`;

describe("a tier in which most ends get the same verdict", () => {
  const { send, program } = nodeWorld(cluster + baseline);
  const [, map] = [...program.ruleset.sets].find(([name]) => name.startsWith("tier_"))!;

  it("gives it in the rule after its map", () => {
    const keys = [...(map.elements as ReadonlyMap<string, string>).keys()];
    expect(keys.toSorted()).toEqual([
      "0:1",
      expect.stringMatching(/:/),
      expect.stringMatching(/:/),
      "ffff:0",
    ]);
    expect(program.ruleset.chains.size).toBeLessThan(12);
  });

  it.each([
    ["10.0.1.7 -> 10.0.0.1:80/TCP", "drop"],
    ["10.0.0.2 -> 10.0.0.1:80/TCP", "accept"],
    ["203.0.113.1 -> 10.0.0.1:80/TCP", "accept"],
  ])("%s: %s", (packet, verdict) => {
    expect(send(packet).verdict).toBe(verdict);
  });
});
