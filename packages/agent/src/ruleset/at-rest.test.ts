import { describe, expect, it } from "vitest";
import { nodeWorld, podYaml } from "../../testing/node-world.js";
import { atRest, isAtRest } from "./hooks.js";

const pods = podYaml("shop/web", "10.0.0.1");
const policy = `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web, namespace: shop }
spec: { podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{ ports: [{ port: 80 }] }] }
`;

describe("while rules do not change", () => {
  const { ruleset } = nodeWorld(pods + policy);
  const again = [...ruleset.chains].filter(([name]) => name.endsWith("_again"));

  it("what is judged again has its base chain, right behind the first one, and nothing is in it", () => {
    expect(again.map(([name]) => name)).toEqual(["forward_again", "input_again", "output_again"]);
    for (const [name, chain] of again) {
      expect(chain.rules).not.toEqual([]);
      const hook = name.replace("_again", "");
      const empty = { hook: `type filter hook ${hook} priority -9; policy accept;`, rules: [] };
      expect(atRest(ruleset).chains.get(name)).toEqual(empty);
    }
  });

  it("all else is as it is", () => {
    const names = again.map(([name]) => name);
    const others = ({ chains }: typeof ruleset) => [...chains].filter(([name]) => !names.includes(name));
    expect(others(atRest(ruleset))).toEqual(others(ruleset));
    expect(atRest(ruleset)).toMatchObject({ sets: ruleset.sets, counters: ruleset.counters });
  });

  it("they are left alone", () => {
    expect([isAtRest(ruleset), isAtRest(atRest(ruleset))]).toEqual([false, true]);
    expect(isAtRest(nodeWorld(pods).ruleset)).toBe(true);
  });
});
