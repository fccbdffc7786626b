import { afterEach, expect, it } from "vitest";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Connection } from "@tierwall/kube";
import { get } from "node:http";
import { AgentMetrics } from "../observe/metrics.js";
import { ServedForeignApis } from "../command/source.js";

const patience = { timeout: 20_000, interval: 5 };

let server: Server | undefined;
let apis: ServedForeignApis | undefined;
afterEach(async () => {
  await apis?.watch.stop();
  server?.closeAllConnections();
  server?.close();
});

/** An API server that serves these resources, and has a version of its answer. */
async function serving(answer: { groups: readonly (readonly [group: string, plural: string])[] | "down" }) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { groups } = answer;
    if (groups === "down") return void response.writeHead(503).end("{}");
    const items = groups.map(([name, resource]) => ({
      metadata: { name },
      versions: [{ version: "v1", resources: [{ resource }], freshness: "Current" }],
    }));
    const etag = `"${groups.join()}"`;
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { etag }).end(JSON.stringify({ kind: "APIGroupDiscoveryList", items }));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connection: Connection = {
    context: "test",
    server: `http://127.0.0.1:${port}`,
    namespace: undefined,
    send: async ({ path, headers = {} }) =>
      new Promise((resolve, reject) => {
        get(`http://127.0.0.1:${port}${path}`, { headers }, resolve).on("error", reject);
      }),
  };
  return { connection, asked };
}

it("reports the policy APIs of other projects, changes to them, and that they are unknown while discovery fails", async () => {
  const calico = ["crd.projectcalico.org", "globalnetworkpolicies"] as const;
  const answer: Parameters<typeof serving>[0] = { groups: [calico, ["example.com", "widgets"]] };
  const { connection, asked } = await serving(answer);
  const said: string[] = [];
  const log = {
    info: (...words: unknown[]) => void said.push(JSON.stringify(words)),
    warn: (...words: unknown[]) => void said.push(JSON.stringify(words)),
  };
  const metrics = new AgentMetrics(() => 0);
  apis = new ServedForeignApis(connection, log as never, metrics, { first: 0, every: 10 });
  const figure = async () =>
    (await metrics.registry.getSingleMetric("tierwall_foreign_policy_apis")!.get()).values;
  expect(apis.status()).toEqual([]);
  apis.watch.start();

  const state = "Calico GlobalNetworkPolicy; their policies apply in addition";
  const served = [{ what: "policy APIs of other projects", ok: true, state }];
  await expect.poll(() => apis!.status(), patience).toEqual(served);
  expect(await figure()).toMatchObject([
    { labels: { group: "crd.projectcalico.org", kind: "GlobalNetworkPolicy" }, value: 1 },
  ]);

  answer.groups = "down";
  await expect.poll(() => apis!.status()[0]?.ok, patience).toBe(false);
  expect(apis.status()[0]!.state).toContain("not known");
  answer.groups = [calico];
  await expect.poll(() => apis!.status(), patience).toEqual(served);

  answer.groups = [];
  await expect.poll(() => apis!.status(), patience).toEqual([]);
  expect(await figure()).toEqual([]);
  expect(said.map((line) => /other projects[^"]*/.exec(line)?.[0].slice(0, 40))).toHaveLength(3);
  // No objects are listed, whatever is served.
  expect(new Set(asked)).toEqual(new Set(["/apis"]));
});
