import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { issue } from "../webhook/certificates/issue.js";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Handler,
  HttpListener,
  type ListenerLimits,
  type ListenerOptions,
  readBody,
} from "./http-listener.js";
import { SeldomReport } from "./seldom-report.js";

/* What it answers to bytes that no client library sends is in test/hostile. */

const troubles: string[] = [];
let listener: HttpListener;
let port: number;
const sockets: Socket[] = [];

async function listen(
  handle: Handler,
  limits: Partial<ListenerLimits> = {},
  options: Partial<ListenerOptions> = {},
  host = "127.0.0.1",
): Promise<void> {
  listener = new HttpListener({
    handle,
    limits,
    onTrouble: (message) => void troubles.push(message),
    ...options,
  });
  port = await listener.listen({ host, port: 0 });
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  troubles.length = 0;
  largeAnswers = 0;
  await listener.close();
});

const answerWell: Handler = (_request, response) => void response.end("well");

/** A connection, with all that was received on it. */
function dial(from = "127.0.0.1"): {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
} {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return { socket, received: () => text, closed };
}

/** A client that asks and never reads. */
function dialDeaf(from?: string) {
  const client = dial(from);
  client.socket.pause();
  client.socket.write(get());
  return client;
}

const connectionCount = () =>
  new Promise<number>((resolve) => listener.server.getConnections((_, count) => resolve(count)));

/** More than the kernel keeps for a client that does not read. */
const large = Buffer.alloc(50_000_000);
let largeAnswers = 0;
const answerLarge: Handler = (_request, response) => {
  largeAnswers++;
  response.end(large);
};

const get = (path = "/") => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe("a handler that fails", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("secret detail");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret detail"))],
  ] as const)("and %s is answered with 500, without the reason, which is reported", async (_, handle) => {
    await listen(handle);
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("secret")]);
    expect(troubles).toEqual([expect.stringContaining("secret detail")]);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500);
  });

  it("in the middle of an answer ends the connection", async () => {
    await listen((_request, response) => {
      response.write("half");
      throw new Error("late");
    });
    const client = dial();
    client.socket.write(get());
    await client.closed;
    // Its last chunk, which would say that it was whole, is missing.
    expect(client.received()).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(troubles).toHaveLength(1);
  });

  it("is reported a few times a minute, and counted otherwise", () => {
    let now = 0;
    const said: string[] = [];
    const report = new SeldomReport(
      (message) => void said.push(message),
      2,
      1000,
      () => now,
    );
    for (let i = 0; i < 100; i++) report.report("failed");
    expect(said).toEqual(["failed", "failed"]);
    now = 1000;
    report.report("again");
    expect(said.at(-1)).toBe("again (98 more messages were omitted before this one)");
  });
});

describe("where connections run out", () => {
  it("the address that holds most of them loses the one that waits longest", async () => {
    await listen(answerWell, { connections: 4 });
    const greedy = [dial("127.0.0.2"), dial("127.0.0.2"), dial("127.0.0.2")];
    for (const { socket } of greedy) await new Promise<void>((next) => socket.once("connect", () => next()));
    const modest = dial("127.0.0.3");
    modest.socket.write(get());
    await expect.poll(modest.received).toContain("well");
    const other = dial("127.0.0.4");
    other.socket.write(get());
    await expect.poll(other.received).toContain("well");
    await Promise.race(greedy.map(({ closed }) => closed));
    expect(modest.socket.destroyed).toBe(false);
    modest.socket.write(get());
    await expect.poll(() => modest.received().split("well").length).toBe(3);
  });

  it("none is lost on which a request is being answered: the new one is refused", async () => {
    const release: (() => void)[] = [];
    await listen(
      (_request, response) =>
        new Promise((resolve) => {
          release.push(() => {
            response.end("slow");
            resolve();
          });
        }),
      { connections: 1 },
    );
    const first = dial();
    first.socket.write(get());
    await expect.poll(() => release.length).toBe(1);
    await dial().closed;
    release[0]!();
    await expect.poll(first.received).toContain("slow");
  });
});

it("connections from one port of a client to two of our addresses are two connections", async () => {
  await listen(answerWell, {}, {}, "0.0.0.0");
  const first = dial();
  await new Promise<void>((next) => first.socket.once("connect", () => next()));
  const second = connect({
    port,
    host: "127.0.0.2",
    localAddress: "127.0.0.1",
    localPort: first.socket.localPort!,
  });
  sockets.push(second);
  await new Promise<void>((next) => second.once("connect", () => next()));
  await expect.poll(connectionCount).toBe(2);
  second.destroy();
  await expect.poll(connectionCount).toBe(1);
  first.socket.write(get());
  await expect.poll(first.received).toContain("200 OK");
});

describe("requests at the same time", () => {
  it("are limited by address, also on one connection that sends them all at once and hangs up", async () => {
    const release: (() => void)[] = [];
    await listen(
      (_request, response) =>
        new Promise((resolve) => {
          release.push(() => {
            response.end("well");
            resolve();
          });
        }),
      { requests: 8, requestsPerAddress: 4 },
    );
    const greedy = dial("127.0.0.2");
    greedy.socket.write(get().repeat(50));
    await expect.poll(() => release.length).toBe(4);
    greedy.socket.destroy();
    const other = dial("127.0.0.3");
    other.socket.write(get());
    await expect.poll(() => release.length).toBe(5);
    release[4]!();
    await expect.poll(other.received).toContain("well");
    // Those of the first count until their handlers are done, and no longer.
    const again = dial("127.0.0.2");
    again.socket.write(get());
    await expect.poll(again.received).toContain("503");
    for (const done of release) done();
    const later = dial("127.0.0.2");
    later.socket.write(get());
    await expect.poll(() => release.length).toBe(6);
    release[5]!();
    await expect.poll(later.received).toContain("well");
  });
});

describe("a client that is slow", () => {
  it("with its headers is answered 408", async () => {
    await listen(answerWell, { headersTime: 200 });
    const slow = dial();
    slow.socket.write("GET / HTTP/1.1\r\nX: ");
    await slow.closed;
    expect(slow.received()).toContain("408");
  });

  it("and sends nothing at all is disconnected", async () => {
    await listen(answerWell, { headersTime: 200 });
    await dial().closed;
  });

  it("with its body is disconnected", async () => {
    await listen(
      async (request, response) => {
        await readBody(request, 100);
        response.end("read");
      },
      { headersTime: 200, requestTime: 400, body: 100 },
    );
    const slow = dial();
    slow.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc");
    await slow.closed;
    expect(slow.received()).not.toContain("read");
    expect(troubles).toEqual([]);
  });

  it("and does not read its answer is disconnected", async () => {
    await listen(answerLarge, { silence: 600_000, unread: 300 });
    dialDeaf();
    await expect.poll(() => largeAnswers).toBe(1);
    await expect.poll(connectionCount).toBe(0);
  });

  it("and does not read an answer that is made piece by piece is disconnected", async () => {
    await listen(
      (_request, response) => {
        largeAnswers++;
        response.write(large);
        return new Promise(() => undefined);
      },
      { silence: 300 },
    );
    dialDeaf();
    await expect.poll(() => largeAnswers).toBe(1);
    await expect.poll(connectionCount).toBe(0);
  });

  it("as a guest with its body is disconnected sooner, and others keep their time", async () => {
    await listen(
      async (request, response) => void response.end(await readBody(request, 10)),
      { body: 10, requestTime: 600_000, guests: { requests: 8, requestsPerAddress: 4, requestTime: 200 } },
      { isGuest: (_request, { path }) => path === "/guest" },
    );
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo`;
    const [guest, other] = [dial(), dial()];
    guest.socket.write(post("/guest"));
    other.socket.write(post("/"));
    await guest.closed;
    expect(guest.received()).toBe("");
    other.socket.write("dy");
    await expect.poll(other.received).toContain("body");
    expect(troubles).toEqual([]);
  });

  it("with the handshake of TLS is disconnected", async () => {
    const { certificate, key } = issue({
      names: ["127.0.0.1"],
      from: new Date(Date.now() - 60_000),
      until: new Date(Date.now() + 3_600_000),
    });
    await listen(answerWell, { headersTime: 200 }, { tls: { cert: certificate, key } });
    const silent = dial();
    const half = dial();
    // The beginning of a ClientHello.
    half.socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    await Promise.all([silent.closed, half.closed]);
    await expect.poll(connectionCount).toBe(0);
  });
});

describe("an answer that is not read", () => {
  it("takes no turn from other clients", async () => {
    await listen(answerLarge, { requests: 1, requestsPerAddress: 1, silence: 600_000, unread: 600_000 });
    dialDeaf("127.0.0.2");
    await expect.poll(() => largeAnswers).toBe(1);
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, large.length]);
  });

  it("is dropped where there are too many, of the address that has most of them", async () => {
    await listen(answerLarge, { unreadAnswers: 4, silence: 600_000, unread: 600_000 });
    const modest = dialDeaf("127.0.0.3");
    await expect.poll(() => largeAnswers).toBe(1);
    for (let i = 0; i < 10; i++) dialDeaf("127.0.0.2");
    await expect.poll(() => largeAnswers).toBe(11);
    await expect.poll(connectionCount).toBe(4);
    modest.socket.resume();
    await expect.poll(() => modest.socket.bytesRead).toBeGreaterThan(large.length);
  });

  it("ends a connection that goes on asking", async () => {
    await listen(answerLarge, { silence: 600_000, unread: 600_000, pipelined: 3 });
    const deaf = dial();
    deaf.socket.pause();
    deaf.socket.write(get().repeat(100));
    await expect.poll(() => largeAnswers).toBe(3);
    await expect.poll(connectionCount).toBe(0);
    expect(largeAnswers).toBe(3);
  });
});

it("an answer that was read leaves the connection open, also while the next one is being made", async () => {
  const unread = 100;
  await listen(
    async (_request, response, { path }) => {
      if (path === "/slow") await sleep(5 * unread);
      response.end(path);
    },
    { unread, silence: 600_000, keepAlive: 600_000 },
  );
  const client = dial();
  client.socket.write(get("/first") + get("/slow"));
  await expect.poll(client.received).toMatch(/\/first[^]*\/slow$/);
  await sleep(5 * unread);
  client.socket.write(get("/later"));
  await expect.poll(client.received).toMatch(/\/later$/);
});

describe("a body", () => {
  it.each([
    ["announced", "Content-Length: 11\r\n\r\nhello world"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"],
    ["after 100-continue", "Expect: 100-continue\r\nContent-Length: 11\r\n\r\n"],
  ])("that is too large, %s, is not read", async (_, rest) => {
    await listen(
      async (request, response) => {
        const body = await readBody(request, 10);
        response.writeHead(body === undefined ? 413 : 200, { connection: "close" }).end();
      },
      { body: 10 },
    );
    const client = dial();
    client.socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${rest}`);
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 413/);
  });

  it("is waited for after 100-continue, where it is not", async () => {
    await listen(async (request, response) => void response.end((await readBody(request, 10))!), {
      body: 10,
    });
    const client = dial();
    client.socket.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    await expect.poll(client.received).toContain("100 Continue");
    client.socket.write("body");
    await expect.poll(client.received).toMatch(/200 OK[^]*body$/);
  });
});
