import { describe, expect, it } from "vitest";
import { nodeWorld, podYaml } from "../testing/node-world.js";
import { nothingLeft } from "./leftover.js";
import { isMeanwhile, meanwhileChains, rangesToCome } from "./preparation.js";
import type { Ruleset } from "./ruleset.js";

const pods = podYaml("shop/web", "10.0.0.1");
const policy = (rules: string): string => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: web, namespace: shop }
spec: { podSelector: {}, ${rules} }
`;
const closed = nodeWorld(pods + policy("ingress: [{ ports: [{ port: 80 }] }]")).ruleset;
const fromRange = (cidr: string): Ruleset =>
  nodeWorld(pods + policy(`ingress: [{ from: [{ ipBlock: { cidr: ${cidr} } }] }]`)).ruleset;

describe("while rules change", () => {
  it("what is judged again comes from a base chain right behind the one that it came through first", () => {
    expect(closed.chains.get("forward")!.hook).toBe("type filter hook forward priority -10; policy accept;");
    expect(Object.fromEntries(meanwhileChains(closed))).toEqual({
      forward_meanwhile: {
        hook: "type filter hook forward priority -9; policy accept;",
        rules: ["goto forward_again"],
      },
      input_meanwhile: {
        hook: "type filter hook input priority -9; policy accept;",
        rules: ["goto input_again"],
      },
    });
  });

  it("and at all other times no packet comes to more than one base chain of a hook", () => {
    const hooks = [...closed.chains.values()].flatMap(({ hook }) => hook ?? []);
    expect(new Set(hooks.map((hook) => /hook (\w+)/.exec(hook)![1])).size).toBe(hooks.length);
    expect([...closed.chains.keys()].filter(isMeanwhile)).toEqual([]);
  });

  it("a node without rules has nothing to judge again", () => {
    expect(meanwhileChains(nodeWorld(pods).ruleset).size).toBe(0);
  });
});

describe("ranges that rules look into", () => {
  const [some, others] = [fromRange("203.0.113.0/24"), fromRange("198.51.100.0/24")];
  const names = (held: Ruleset, wanted: Ruleset) => [
    ...rangesToCome({ ruleset: held, leftover: nothingLeft }, wanted).keys(),
  ];

  it("are there before the rules are, by a name of their own", () => {
    const [first] = names(closed, some);
    const [second] = names(some, others);
    expect([first, second]).toEqual([expect.stringMatching(/^cidr4_/), expect.stringMatching(/^cidr4_/)]);
    expect(first).not.toBe(second);
  });

  it("are not loaded again where they are there, or are none", () => {
    expect(names(some, fromRange("203.0.113.0/24"))).toEqual([]);
    expect(names(some, closed)).toEqual([]);
  });
});
