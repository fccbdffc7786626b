import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";

/* Bytes that no client library sends, over sockets without one. */

export interface ListenerUnderTest {
  readonly port: number;
  readonly tls?: boolean;
}

/** How long a listener may keep a connection without an answer to what was sent; well above its own limits. */
const patience = 40_000;

/**
 * Sends bytes and gives back all that is answered until the listener closes the connection. `end`: our side is closed after the bytes, so
 * that a request that is not complete will never be.
 */
export async function exchange(
  { port, tls = false }: ListenerUnderTest,
  bytes: Buffer | string,
  { end = true }: { readonly end?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = tls
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connectPlain({ port, host: "127.0.0.1" });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end after ${patience} ms of ${JSON.stringify(bytes.toString().slice(0, 200))}`));
    }, patience);
    const pieces: Buffer[] = [];
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    // A listener that has answered may reset a connection on which more is being sent.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(pieces).toString("latin1"));
    });
    socket.once(tls ? "secureConnect" : "connect", () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  });
}

/** A connection on which some bytes are sent and nothing is ever read. */
export function hold(
  port: number,
  bytes: string,
): { readonly socket: Socket; readonly connected: Promise<void> } {
  const socket = connectPlain({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  const connected = new Promise<void>((resolve) => {
    socket.once("connect", () => socket.write(bytes, () => resolve()));
    socket.once("close", () => resolve());
  });
  return { socket, connected };
}

/** Status codes of all answers on a connection. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

export const request = (line: string, headers: readonly string[] = [], body: Buffer | string = ""): Buffer =>
  Buffer.concat([
    Buffer.from([line, "Host: 127.0.0.1", ...headers, "", ""].join("\r\n"), "latin1"),
    Buffer.from(body),
  ]);

/** Each of them ended, or could have ended, some listener. */
export const hostileTargets: readonly string[] = [
  "//",
  "///",
  "//@",
  "//[",
  "//[::1",
  "*",
  "/",
  "/%",
  "/%zz",
  "/%00",
  "/\\",
  "/..",
  "/../../etc/passwd",
  "/?%",
  "/?timeout=1e999s",
  "/metrics?%ff",
  "//metrics",
  "/metrics/",
  "/metrics#",
  "http://",
  "http:///",
  "http://[/metrics",
  "http://[::1]:99999/metrics",
  "http://a:b:c/metrics",
  "http://127.0.0.1/metrics",
  "https://user:pw@other/livez",
  "example.com:443",
  "127.0.0.1",
  "javascript:alert(1)",
  "data:,",
  "file:///etc/passwd",
  "/validate?timeout=-1s",
  "/validate?timeout=99999999999999999999s",
  "/api/v1/explain?from=%00&to=%ff",
  "/\u00e9\u00ff",
  "/constructor",
  "/__proto__",
  `/${"a".repeat(9000)}`,
  `/${"a".repeat(100_000)}`,
  `/?${"a=b&".repeat(3000)}`,
];

export const hostileHeaders: readonly (readonly string[])[] = [
  [],
  ["Host: [", "Host: b"],
  ["Content-Length: 99999999999999999999"],
  ["Content-Length: -1"],
  ["Content-Length: 5", "Content-Length: 6"],
  ["Content-Length: 5", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked, identity"],
  ["Transfer-Encoding: gzip"],
  ["Expect: 100-continue", "Content-Length: 4"],
  ["Expect: 200-maybe"],
  ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA"],
  ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"],
  ["Authorization: Bearer", "Authorization: Bearer x"],
  [`Authorization: Bearer ${"x".repeat(9000)}`],
  [`Cookie: ${"a=b; ".repeat(2000)}`],
  [`X-Long: ${"y".repeat(20_000)}`],
  Array.from({ length: 500 }, (_, i) => `X-${i}: 1`),
  ["X-\u0001: 1"],
  ["X: \u0000"],
  [" folded: 1"],
  ["no colon"],
  ["Content-Type: application/json", "Content-Length: 3"],
];

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PATCH",
  "PRI",
  "get",
];

/** Bodies that are no AdmissionReview, no manifest, or too much of either. */
export const hostileBodies: readonly string[] = [
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "\u0000".repeat(100),
  "\ud800",
  "[".repeat(200_000),
  `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}',
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":1,"operation":"CREATE"}}',
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"EXPLODE"}}',
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","object":[]}}',
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE","oldObject":{"kind":"NetworkPolicy","apiVersion":"networking.k8s.io/v1","metadata":7,"spec":[]}}}',
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","object":{"kind":"NetworkPolicy","apiVersion":"networking.k8s.io/v1","metadata":{"name":"__proto__","namespace":"constructor","annotations":[]},"spec":{"__proto__":{"podSelector":{}}}}}}',
];

const target = fc.oneof(
  fc.constantFrom(...hostileTargets),
  fc.string({ unit: "binary", maxLength: 60 }).map((text) => `/${text.replaceAll(/[\r\n ]/g, "")}`),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom("/metrics", "/livez", "/readyz", "/validate", "/api/v1/state", "/api/v1/explain", "/"),
);

const headers = fc.oneof(
  fc.constantFrom(...hostileHeaders),
  fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 4 }),
);

/** A request that is wrong in one or more ways, and some that are wrong in none. */
export const hostileRequest: fc.Arbitrary<Buffer> = fc
  .record({
    method: fc.constantFrom(...methods),
    target,
    headers,
    version: fc.constantFrom(
      "HTTP/1.1",
      "HTTP/1.1",
      "HTTP/1.1",
      "HTTP/1.0",
      "HTTP/0.9",
      "HTTP/2.0",
      "HTTP/1.1x",
      "",
    ),
    body: fc.oneof(fc.constantFrom(...hostileBodies), fc.string({ unit: "binary", maxLength: 200 })),
    chunked: fc.boolean(),
    cut: fc.option(fc.nat(200), { freq: 4 }),
    repeat: fc.constantFrom(1, 1, 1, 3, 50),
  })
  .map(({ method, target: to, headers: some, version, body, chunked, cut, repeat }) => {
    const framed = chunked
      ? Buffer.concat([
          Buffer.from(`${Buffer.byteLength(body).toString(16)}\r\n`),
          Buffer.from(body),
          Buffer.from("\r\n0\r\n\r\n"),
        ])
      : Buffer.from(body);
    const framing = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${framed.length}`;
    const one = request(
      `${method} ${to} ${version}`,
      [...some, "Content-Type: application/json", framing],
      framed,
    );
    const whole = Buffer.concat(Array.from({ length: one.length > 10_000 ? 1 : repeat }, () => one));
    return cut === null ? whole : whole.subarray(0, cut);
  });

/** Bytes that are not HTTP. */
export const noise: fc.Arbitrary<Buffer> = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes) => Buffer.from(bytes));
