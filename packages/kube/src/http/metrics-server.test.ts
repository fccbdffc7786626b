import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseListenAddress } from "./listen-address.js";
import { type MetricsServer, serveMetrics } from "./metrics-server.js";
import type { AccessDecision } from "./token-access.js";

const onTrouble = (message: string) => {
  throw new Error(message);
};
const metrics = { contentType: "text/plain", text: () => Promise.resolve("figures 1\n") };

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
    server = await serveMetrics({ address: { host: "127.0.0.1", port: 0 }, metrics, health, onTrouble });
  });
  afterAll(() => server.close());

  it("is alive while it waits, and ready once nothing is missing", async () => {
    expect(await get("/livez")).toEqual([200, "ok\n"]);
    expect(await get("/readyz")).toEqual([503, "the first state of the cluster\n"]);
    waitingFor = undefined;
    expect(await get("/readyz")).toEqual([200, "ok\n"]);
    broken = "the loop has stopped";
    expect(await get("/livez")).toEqual([503, "the loop has stopped\n"]);
    expect(await get("/readyz")).toEqual([503, "the loop has stopped\n"]);
  });

  it("serves metrics", async () => {
    expect(await get("/metrics")).toEqual([200, "figures 1\n"]);
  });

  it("makes one text for all clients that ask at the same time", async () => {
    let [made, asked] = [0, 0];
    let release: (text: string) => void = () => undefined;
    const slow = {
      contentType: "text/plain",
      text: () => {
        made++;
        return new Promise<string>((resolve) => (release = resolve));
      },
    };
    const access = {
      check: async () => {
        asked++;
        return "allowed" as const;
      },
    };
    const health = { broken: () => undefined, waitingFor: () => undefined };
    const address = { host: "127.0.0.1", port: 0 };
    const { port, close } = await serveMetrics({ address, metrics: slow, health, access, onTrouble });
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const texts = Promise.all([ask(), ask(), ask()]);
    await expect.poll(() => asked).toBe(3);
    release("figures");
    expect([await texts, made]).toEqual([["figures", "figures", "figures"], 1]);
    const next = ask();
    await expect.poll(() => made).toBe(2);
    release("others");
    expect(await next).toBe("others");
    await close();
  });

  it("answers probes while all turns are taken", async () => {
    let asked = 0;
    let release: (text: string) => void = () => undefined;
    const text = new Promise<string>((resolve) => (release = resolve));
    const { port, close } = await serveMetrics({
      address: { host: "127.0.0.1", port: 0 },
      metrics: { contentType: "text/plain", text: () => text },
      health: { broken: () => undefined, waitingFor: () => undefined },
      access: {
        check: async () => {
          asked++;
          return "allowed";
        },
      },
      onTrouble,
    });
    const statusFrom = (localAddress: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
      new Promise<number>((resolve, reject) => {
        const options = { port, host: "127.0.0.1", localAddress, path, headers, agent: false };
        const sent = request(options, (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        });
        sent.on("error", reject).end();
      });
    const authorization = "Bearer a";
    const slow = ["127.0.0.1", "127.0.0.2"].flatMap((from) =>
      Array.from({ length: 16 }, () => statusFrom(from, "/metrics", { authorization })),
    );
    await expect.poll(() => asked).toBe(32);
    expect(await statusFrom("127.0.0.3", "/metrics", { authorization })).toBe(503);
    for (const path of ["/livez", "/readyz"]) expect(await statusFrom("127.0.0.1", path)).toBe(200);
    release("figures");
    expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
    await close();
  });

  it("answers other requests with what exists", async () => {
    expect(await get("/")).toEqual([404, "not found; available: /metrics, /livez, /readyz\n"]);
    expect((await get("/metrics", "POST"))[0]).toBe(405);
  });

  it("at all addresses is found by those of IPv4, too", async () => {
    const health = { broken: () => undefined, waitingFor: () => undefined };
    const { port, close } = await serveMetrics({
      address: parseListenAddress(":0")!,
      metrics,
      health,
      onTrouble,
    });
    const { status } = await fetch(`http://127.0.0.1:${port}/metrics`);
    await close();
    expect(status).toBe(200);
  });

  it("an address that is taken is an error that names it", async () => {
    const health = { broken: () => undefined, waitingFor: () => undefined };
    await expect(
      serveMetrics({ address: { host: "127.0.0.1", port: server.port }, metrics, health, onTrouble }),
    ).rejects.toThrow(`127.0.0.1:${server.port}`);
  });
});

describe("with access for some only", () => {
  let server: MetricsServer;
  const decisions = { good: "allowed", poor: "forbidden", later: "unavailable" } as const;
  const access = {
    check: async (header: string | undefined): Promise<AccessDecision> =>
      decisions[header?.replace("Bearer ", "") as "good"] ?? "unauthenticated",
  };
  const get = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    return [response.status, await response.text()] as const;
  };
  beforeAll(async () => {
    const health = {
      broken: () => undefined,
      waitingFor: () => "2 kinds are not listed yet, such as secrets",
    };
    const address = { host: "127.0.0.1", port: 0 };
    server = await serveMetrics({ address, metrics, health, access, onTrouble });
  });
  afterAll(() => server.close());

  it.each([
    ["good", 200],
    [undefined, 401],
    ["made-up", 401],
    ["poor", 403],
    ["later", 503],
  ])("a token %s gets %d at /metrics", async (token, status) => {
    const [got, text] = await get("/metrics", token);
    expect([got, text.includes("figures")]).toEqual([status, status === 200]);
  });

  it.each([
    ["/metrics", undefined, 401, "close"],
    ["/metrics", "poor", 403, "close"],
    ["/other", undefined, 404, "close"],
    ["/metrics", "good", 200, "keep-alive"],
    ["/livez", undefined, 200, "keep-alive"],
  ])("after %s with the token %s and %d the answer says %s", async (path, token, status, kept) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    expect([response.status, response.headers.get("connection")]).toEqual([status, kept]);
  });

  it("probes without a token are answered, and do not learn why it is not ready", async () => {
    expect((await get("/livez"))[0]).toBe(200);
    expect(await get("/readyz")).toEqual([503, "not ready; the log of this process has the reason\n"]);
    expect(await get("/readyz", "poor")).toEqual([
      503,
      "not ready; the log of this process has the reason\n",
    ]);
    expect(await get("/readyz", "good")).toEqual([503, "2 kinds are not listed yet, such as secrets\n"]);
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
