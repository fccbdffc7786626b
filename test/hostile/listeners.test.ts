import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type HostileListener, hostileListeners } from "./hostile-listeners.js";
import {
  exchange,
  hold,
  hostileBodies,
  hostileHeaders,
  hostileRequest,
  hostileTargets,
  noise,
  request,
  statusesIn,
} from "./raw-requests.js";

/*
 * Every HTTP listener that Tierwall opens, over raw sockets. A client may send what it likes: each connection ends, each answer is an
 * answer, no failure is ours, and the next client is served. FUZZ_RUNS=20000 npx vitest run test/hostile looks for longer.
 */

const runs = Number(process.env.FUZZ_RUNS ?? 250);
vi.setConfig({ testTimeout: 120_000 + runs * 500 });

describe.each(Object.entries(hostileListeners))("%s", (_name, open) => {
  let listener: HostileListener;
  beforeAll(async () => {
    listener = await open();
  });
  afterAll(async () => listener?.close());

  /** What came back is whole answers of clients' mistakes, and the listener goes on. */
  async function survives(
    bytes: Buffer | string,
    options: { readonly end?: boolean } = {},
  ): Promise<readonly number[]> {
    const answered = await exchange(listener, bytes, options);
    const statuses = statusesIn(answered);
    expect(answered === "" || answered.startsWith("HTTP/1.1 ")).toBe(true);
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
    return statuses;
  }

  it.each(hostileTargets.map((target) => [target]))("answers the target %.60j", async (target) => {
    expect((await survives(request(`GET ${target} HTTP/1.1`, ["Connection: close"]))).length).toBeLessThan(2);
    await listener.expectService();
  });

  it.each(hostileHeaders.map((headers) => [headers]))("answers the headers %.80j", async (headers) => {
    for (const path of listener.paths)
      for (const method of ["GET", "POST"])
        await survives(request(`${method} ${path} HTTP/1.1`, [...headers, "Connection: close"]));
    await listener.expectService();
  });

  it.each(hostileBodies.map((body) => [body]))("answers the body %.60j", async (body) => {
    for (const path of listener.paths) {
      const headers = [
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(body)}`,
        "Connection: close",
      ];
      expect((await survives(request(`POST ${path} HTTP/1.1`, headers, body))).length).toBe(1);
    }
    await listener.expectService();
  });

  it(`survives ${runs} random requests`, async () => {
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (bytes) => {
        await survives(bytes);
      }),
      { numRuns: runs },
    );
    await listener.expectService();
  });

  it("survives noise, and TLS where none is spoken", async () => {
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        await exchange({ port: listener.port }, bytes);
        await survives(bytes);
      }),
      { numRuns: Math.min(runs, 50) },
    );
    await listener.expectService();
  });

  it("answers CONNECT with a refusal, and closes", async () => {
    expect(await survives("CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n", { end: false })).toEqual(
      [405],
    );
  });

  it("does not wait for a client that never finishes its headers", async () => {
    expect(await survives("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", { end: false })).toEqual([408]);
  });

  it("refuses a body that is announced as larger than any it reads", async () => {
    for (const path of listener.paths) {
      const headers = ["Content-Type: application/json", "Content-Length: 1000000000"];
      expect(await survives(request(`POST ${path} HTTP/1.1`, headers, "{"), { end: false })).toEqual([413]);
    }
  });

  it("serves others while a client holds more connections than there are", async () => {
    const silent = Array.from({ length: 700 }, () => hold(listener.port, "G"));
    await Promise.all(silent.map(({ connected }) => connected));
    await listener.expectService();
    for (const { socket } of silent) socket.destroy();
    await listener.expectService();
  });

  it("reported no failure of its own", () => {
    expect(listener.troubles).toEqual([]);
  });
});
