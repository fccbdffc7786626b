import { describe, expect, it } from "vitest";
import { bookOf } from "../../testing/book.js";
import { Counts } from "./counts.js";
import { ago, amount, hitsReport, hitsText } from "./hits.js";

const book = bookOf(`
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard, annotations: {tierwall.dev/enforcement: shadow}}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress:
    - {name: no-metadata, action: Deny, to: [{networks: [169.254.169.254/32]}]}
`);
const [web, isolation, guard] = [...book.keys()].map((id) => `r_${id}`) as [string, string, string];

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const counts = new Counts("n1");
counts.read(
  {
    at: at(0),
    counters: new Map([web, isolation, guard].map((n) => [n, { packets: 0, bytes: 0 }])),
  },
  book,
);
counts.read(
  {
    at: at(30),
    counters: new Map([
      [web, { packets: 12_345, bytes: 1_500_000 }],
      [isolation, { packets: 0, bytes: 0 }],
      [guard, { packets: 0, bytes: 0 }],
    ]),
  },
  book,
);
counts.read(
  {
    at: at(240),
    counters: new Map([
      [web, { packets: 0, bytes: 0 }],
      [isolation, { packets: 0, bytes: 0 }],
      [guard, { packets: 7, bytes: 420 }],
    ]),
  },
  book,
);

it("text: policy by policy, with the number of rules that were never used", () => {
  expect(hitsText(hitsReport(counts.saved()))).toBe(
    `
3 rules on n1 at 2026-01-01T04:00:00.000Z: 2 used, 1 never used

ClusterNetworkPolicy guard
  egress   rule 1 "no-metadata"  ShadowDeny  7 packets    420B   last 0s ago

NetworkPolicy shop/web
  ingress  rule 1                Allow       12k packets  1.5MB  last 3h ago
  ingress  isolation             Deny        never        in 4h
`.trim(),
  );
});

it("JSON: the same as data", () => {
  const { node, rules } = hitsReport(counts.saved());
  expect(node).toBe("n1");
  expect(rules.map(({ policies, rule, lastHit }) => [policies[0]?.name, rule, lastHit])).toEqual([
    ["guard", 'rule 1 "no-metadata"', at(240).toISOString()],
    ["web", "rule 1", at(30).toISOString()],
    ["web", "isolation", undefined],
  ]);
});

it("rules that are no longer in the table are not reported, and neither are counters of no rule", () => {
  const less = new Counts("n1", counts.saved());
  const counters = new Map([
    [guard, { packets: 1, bytes: 60 }],
    ["cut", { packets: 1, bytes: 60 }],
  ]);
  const left = new Map([...book].filter(([id]) => `r_${id}` === guard));
  less.read({ at: at(300), counters }, left);
  expect(hitsReport(less.saved()).rules.map(({ rule, packets }) => [rule, packets])).toEqual([
    ['rule 1 "no-metadata"', 8],
  ]);
});

it("a node without rules says so", () => {
  expect(hitsText(hitsReport(new Counts("n1").saved()))).toBe("No rule applies to a pod of n1.");
});

describe("figures", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1.0k"],
    [12_345, "12k"],
    [9_940_000, "9.9M"],
    [9_960_000, "10M"],
    [3e15, "3.0P"],
  ])("%d is %s", (count, text) => expect(amount(count)).toBe(text));

  it.each([
    [119, "119s"],
    [120, "2m"],
    [7199, "119m"],
    [7200, "2h"],
    [200_000, "2d"],
    [-5, "0s"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(ago(at(0).toISOString(), at(0).getTime() + seconds * 1000)).toBe(text);
  });
});
