import { describe, expect, it } from "vitest";
import { nodeWorld, podYaml } from "../../testing/node-world.js";
import { nothingLeft, rangesToCome } from "./difference.js";
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
