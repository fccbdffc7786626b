import { describe, expect, it } from "vitest";
import { scriptedConnection } from "../../testing/scripted-connection.js";
import { type MetricsAuth, openMetrics } from "./metrics-server.js";

const metrics = { contentType: "text/plain", text: async () => "figures 1\n" };
const health = { broken: () => undefined, waitingFor: () => undefined };
const refusing = scriptedConnection(() => ({ status: 201, body: { status: { authenticated: false } } }));

/** Serves, asks for /metrics without a token, and gives back the answer and what was warned of. */
async function served(address: string, auth: MetricsAuth) {
  const warned: string[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (_: unknown, text: string) => void warned.push(text),
  };
  const { port, close } = await openMetrics(
    { address, auth },
    { metrics, health, connection: refusing, log: log as never },
  );
  const { status } = await fetch(`http://127.0.0.1:${port}/metrics`);
  await close();
  return { status, warned };
}

describe("metrics of a command", () => {
  it.each([
    ["127.0.0.1:0", "none", 200, []],
    ["localhost:0", "none", 200, []],
    [":0", "none", 200, [expect.stringContaining("--metrics-auth token")]],
    ["0.0.0.0:0", "none", 200, [expect.stringContaining("--metrics-auth token")]],
    ["0.0.0.0:0", "token", 401, []],
  ] as const)("at %s with --metrics-auth %s answer %d", async (address, auth, status, warned) => {
    expect(await served(address, auth)).toEqual({ status, warned });
  });

  it("cannot ask for tokens where no API server knows them", async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const parts = { metrics, health, connection: undefined, log: log as never };
    await expect(openMetrics({ address: "127.0.0.1:0", auth: "token" }, parts)).rejects.toThrow(
      "needs a cluster",
    );
    await expect(openMetrics({ address: "nowhere", auth: "none" }, parts)).rejects.toThrow("not an address");
  });
});
