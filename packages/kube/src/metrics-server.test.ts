import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseListenAddress, serveMetrics } from "./metrics-server.js";

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
    server = await serveMetrics({ host: "127.0.0.1", port: 0 }, metrics, health);
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

  it("says what there is to those who ask for something else", async () => {
    expect(await get("/")).toEqual([404, "there are /metrics, /livez and /readyz\n"]);
    expect((await get("/metrics", "POST"))[0]).toBe(405);
  });

  it("at all addresses is found by those of IPv4, too", async () => {
    const health = { broken: () => undefined, waitingFor: () => undefined };
    const { port, close } = await serveMetrics(parseListenAddress(":0")!, metrics, health);
    const { status } = await fetch(`http://127.0.0.1:${port}/metrics`);
    await close();
    expect(status).toBe(200);
  });

  it("an address that is taken is an error that names it", async () => {
    const health = { broken: () => undefined, waitingFor: () => undefined };
    await expect(serveMetrics({ host: "127.0.0.1", port: server.port }, metrics, health)).rejects.toThrow(
      `127.0.0.1:${server.port}`,
    );
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
