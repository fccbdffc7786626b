import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookOf } from "../testing/book.js";
import { Counts } from "./counts.js";
import { AgentMetrics } from "./metrics.js";
import { RuleSeries } from "./rule-series.js";
import { parseListenAddress, serveMetrics } from "./server.js";

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
  const series = new RuleSeries(metrics.registry, limit);
  return {
    read: (packets: Readonly<Record<string, number>>) => {
      const counters = Object.entries(packets).map(
        ([id, n]) => [`r_${id}`, { packets: n, bytes: n * 10 }] as const,
      );
      const reading = { at: new Date(), origin: "t", counters: new Map(counters) };
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
    read({ b: 1 });
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(-2))).toEqual([" 1"]);
    read({ a: 4, b: 1 });
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(-2)).toSorted()).toEqual([
      " 1",
      " 7",
    ]);
  });

  it("are bounded: what is over the limit is summed up by direction and verdict, and counted", async () => {
    const { read, lines } = observed(policy("web", 4), 2);
    expect(read({ a: 1, b: 1, c: 0, d: 0, e: 0 })).toBe(3);
    read({ a: 1, b: 2, c: 10, d: 20, e: 5 });
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
    read({ a: 1, b: 6 });
    expect(read({ b: 7 })).toBe(0);
    expect((await lines("tierwall_rule_packets")).map((line) => line.slice(line.indexOf("{")))).toEqual([
      '{policy="(others)",rule="",direction="ingress",verdict="Allow"} 6',
      '{policy="NetworkPolicy shop/web",rule="rule 2",direction="ingress",verdict="Allow"} 7',
    ]);
  });
});

describe("the server", () => {
  let broken: string | undefined;
  let waitingFor: string | undefined = "the first state of the cluster";
  let server: Awaited<ReturnType<typeof serveMetrics>>;
  const get = async (path: string, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [response.status, await response.text()] as const;
  };
  beforeAll(async () => {
    const health = { broken: () => broken, waitingFor: () => waitingFor };
    server = await serveMetrics({ host: "127.0.0.1", port: 0 }, new AgentMetrics(() => 0), health);
  });
  afterAll(() => server.close());

  it("is alive while it waits, and ready once rules are in the kernel", async () => {
    expect(await get("/livez")).toEqual([200, "ok\n"]);
    expect(await get("/readyz")).toEqual([503, "the first state of the cluster\n"]);
    waitingFor = undefined;
    expect(await get("/readyz")).toEqual([200, "ok\n"]);
    broken = "the loop has stopped";
    expect(await get("/livez")).toEqual([503, "the loop has stopped\n"]);
    expect(await get("/readyz")).toEqual([503, "the loop has stopped\n"]);
  });

  it("serves metrics as Prometheus reads them", async () => {
    const [status, text] = await get("/metrics");
    expect(status).toBe(200);
    expect(text).toContain("# TYPE tierwall_apply_seconds histogram");
    for (const line of text.split("\n").filter((line) => line !== ""))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)*\})? \S+)$/);
  });

  it("says what there is to those who ask for something else", async () => {
    expect(await get("/")).toEqual([404, "there are /metrics, /livez and /readyz\n"]);
    expect((await get("/metrics", "POST"))[0]).toBe(405);
  });

  it("an address that is taken is an error that names it", async () => {
    const health = { broken: () => undefined, waitingFor: () => undefined };
    await expect(
      serveMetrics({ host: "127.0.0.1", port: server.port }, new AgentMetrics(() => 0), health),
    ).rejects.toThrow(`127.0.0.1:${server.port}`);
  });
});

describe("addresses to listen at", () => {
  it.each([
    ["127.0.0.1:9465", { host: "127.0.0.1", port: 9465 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    [":9465", { host: "::", port: 9465 }],
    ["localhost:1", { host: "localhost", port: 1 }],
    ["9465", undefined],
    ["127.0.0.1", undefined],
    ["127.0.0.1:99999", undefined],
    ["::1:80", undefined],
  ])("%s", (text, expected) => expect(parseListenAddress(text)).toEqual(expected));
});
