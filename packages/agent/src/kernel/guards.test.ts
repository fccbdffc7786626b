import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { type Guard, parseGuard, watchGuards } from "./guards.js";
import { done, failed } from "./outcome.js";

function guard(text: string): Guard {
  const parsed = parseGuard(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

test.each(["tcp://10.0.0.1", "dns://10.0.0.1", "dns://10.0.0.1/", "ftp://10.0.0.1/x", "10.0.0.1:80", ""])(
  "`%s` is refused with what could be written",
  (text) => {
    const parsed = parseGuard(text);
    expect(parsed.ok ? "" : parsed.message).toMatch(/write tcp:\/\/host:port, dns:\/\/server\/name/);
  },
);

describe("what is checked", () => {
  test("tcp: a server accepts connections", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await guard(`tcp://127.0.0.1:${port}`).check(5000)).toEqual({ ok: true, value: undefined });
    server.close();
    await once(server, "close");
    expect(await guard(`tcp://127.0.0.1:${port}`).check(5000)).toMatchObject({ ok: false });
  });

  test("http: an answer, whatever it is about, and no error of the server", async () => {
    const server = createHttpServer((request, response) => {
      response.statusCode = request.url === "/broken" ? 503 : 401;
      response.end();
    }).listen(0, "::1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(await guard(`http://[::1]:${port}/`).check(5000)).toEqual({ ok: true, value: undefined });
    expect(await guard(`http://[::1]:${port}/broken`).check(5000)).toEqual({
      ok: false,
      message: "status 503",
    });
    server.close();
  });

  test("dns: the server answers, be it that there is no such name", async () => {
    const server = createSocket("udp4");
    server.on("message", (query, { port, address }) => {
      const answer = Buffer.from(query);
      answer.writeUInt16BE(0x8183, 2);
      server.send(answer, port, address);
    });
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    expect(await guard(`dns://127.0.0.1:${port}/example.com`).check(5000)).toEqual({
      ok: true,
      value: undefined,
    });
    server.close();
    await once(server, "close");
    expect(await guard(`dns://127.0.0.1:${port}/example.com`).check(500)).toMatchObject({ ok: false });
  });
});

describe("a watch over guards", () => {
  /** Fails where there is an `x`. */
  const scripted = (script: string): Guard => {
    const steps = script.split("");
    return {
      text: "tcp://api:6443",
      check: () => Promise.resolve(steps.shift() === "x" ? failed("refused") : done(undefined)),
    };
  };
  const watch = (guards: readonly Guard[], signal = new AbortController().signal) =>
    watchGuards({ guards, tries: 3, everyMilliseconds: 1, signal });

  test.each(["xxx", "...xxx", "xx.xxx"])("ends when one failed three times in a row: %s", async (script) => {
    expect(await watch([scripted("."), scripted(script)])).toBe(
      "tcp://api:6443 failed 3 times in a row: refused",
    );
  });

  test("goes on as long as none does", async () => {
    const end = new AbortController();
    let checks = 0;
    const restless: Guard = {
      text: "tcp://api:6443",
      check: () => {
        checks += 1;
        if (checks === 10) end.abort();
        return Promise.resolve(checks % 3 === 0 ? done(undefined) : failed("refused"));
      },
    };
    expect(await watch([restless], end.signal)).toBeUndefined();
    expect(checks).toBe(10);
  });
});
