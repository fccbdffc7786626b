import { describe, expect, it } from "vitest";
import { bookOf } from "../../testing/book.js";
import { Counts } from "./counts.js";
import { AgentMetrics } from "./metrics.js";
import { RuleSeries } from "./rule-series.js";

const policy = (name: string, rules: number) => `
kind: NetworkPolicy
metadata: {name: ${name}, namespace: shop}
spec: {podSelector: {}, ingress: [${Array<string>(rules).fill("{from: [{podSelector: {}}]}").join(", ")}]}
---`;

/** Counters of all rules, one after the other, as the kernel would give them. */
function observed(yaml: string, limit: number) {
  const book = bookOf(yaml);
  const counts = new Counts("n1");
  const metrics = new AgentMetrics(() => 0);
  const series = new RuleSeries(metrics, limit);
  return {
    read: (packets: Readonly<Record<string, number>>) => {
      const counters = Object.entries(packets).map(
        ([id, n]) => [`r_${id}`, { packets: n, bytes: n * 10 }] as const,
      );
      const reading = { at: new Date(), counters: new Map(counters) };
      const present = new Map([...book].filter(([id]) => id in packets));
      const grown = counts.read(reading, present);
      return series.update(counts.present(), grown);
    },
    lines: async (name: string) => (await metrics.text()).split("\n").filter((line) => line.startsWith(name)),
  };
}

describe("counters of rules", () => {
  it("are there by policy, rule, direction and verdict, before they ever decide", async () => {
    const { read, lines } = observed(policy("web", 1), 100);
    read({ a: 0, b: 0 });
    read({ a: 3, b: 2 });
    expect(await lines("tierwall_rule_")).toEqual([
      'tierwall_rule_packets_total{policy="NetworkPolicy shop/web",rule="rule 1",direction="ingress",verdict="Allow"} 3',
      'tierwall_rule_packets_total{policy="NetworkPolicy shop/web",rule="isolation",direction="ingress",verdict="Deny"} 2',
      'tierwall_rule_bytes_total{policy="NetworkPolicy shop/web",rule="rule 1",direction="ingress",verdict="Allow"} 30',
      'tierwall_rule_bytes_total{policy="NetworkPolicy shop/web",rule="isolation",direction="ingress",verdict="Deny"} 20',
    ]);
  });

  it("are gone with their rule, and go on where they were when it comes back", async () => {
    const { read, lines } = observed(policy("web", 1), 100);
    read({ a: 3, b: 1 });
    read({ b: 0 });
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(-2))).toEqual([" 1"]);
    read({ a: 4, b: 0 });
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(-2)).toSorted()).toEqual([
      " 1",
      " 7",
    ]);
  });

  it("are bounded: what is over the limit is summed up by direction and verdict, and counted", async () => {
    const { read, lines } = observed(policy("web", 4), 2);
    expect(read({ a: 1, b: 1, c: 0, d: 0, e: 0 })).toBe(3);
    read({ a: 0, b: 1, c: 10, d: 20, e: 5 });
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(line.indexOf("{")))).toEqual([
      '{policy="NetworkPolicy shop/web",rule="rule 1",direction="ingress",verdict="Allow"} 1',
      '{policy="NetworkPolicy shop/web",rule="rule 2",direction="ingress",verdict="Allow"} 2',
      '{policy="(others)",rule="",direction="ingress",verdict="Allow"} 30',
      '{policy="(others)",rule="",direction="ingress",verdict="Deny"} 5',
    ]);
    expect(await lines("tierwall_rules_without_series")).toEqual(["tierwall_rules_without_series 3"]);
  });

  it("a series that becomes free goes to one of the others, and no sum ever shrinks", async () => {
    const { read, lines } = observed(policy("web", 2), 1);
    read({ a: 1, b: 0 });
    read({ a: 0, b: 6 });
    expect(read({ b: 1 })).toBe(0);
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(line.indexOf("{")))).toEqual([
      '{policy="(others)",rule="",direction="ingress",verdict="Allow"} 6',
      '{policy="NetworkPolicy shop/web",rule="rule 2",direction="ingress",verdict="Allow"} 7',
    ]);
  });
});

it("metrics are in the form that Prometheus reads", async () => {
  const text = await new AgentMetrics(() => 0).text();
  expect(text).toContain("# TYPE tierwall_apply_seconds histogram");
  for (const line of text.split("\n").filter((one) => one !== ""))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)*\})? \S+)$/);
});
