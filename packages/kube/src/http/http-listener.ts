import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TlsOptions } from "node:tls";
import { ClientConnections } from "./client-connections.js";
import { type RequestTarget, requestTarget } from "./request-target.js";
import { SeldomReport } from "./seldom-report.js";

/** Times are in milliseconds. */
export interface ListenerLimits {
  readonly connections: number;
  readonly requests: number;
  readonly requestsPerAddress: number;
  /** Bytes that a request may announce. A body without a length is for the handler to count (`readBody`), unless this is 0. */
  readonly body: number;
  /** From the start of a connection, or of a further request on it, to the end of the headers; of TLS, to the end of the handshake. */
  readonly headersTime: number;
  /** To the end of the body. */
  readonly requestTime: number;
  /** How long an idle connection is kept for another request. */
  readonly keepAlive: number;
  /** Nothing is sent or received for so long: the client does not read its answer. */
  readonly silence: number;
}

/** Enough for probes and some Prometheus servers. */
export const usualLimits: ListenerLimits = {
  connections: 128,
  requests: 32,
  requestsPerAddress: 16,
  body: 0,
  headersTime: 10_000,
  requestTime: 15_000,
  keepAlive: 15_000,
  silence: 30_000,
};

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => void | Promise<void>;

interface ListenerOptions {
  readonly handle: Handler;
  readonly limits?: Partial<ListenerLimits>;
  /** Absent: without TLS. */
  readonly tls?: TlsOptions;
  /** How a refusal is written; as plain text, if it is absent. */
  readonly refusalBody?: (refusal: Refusal) => { readonly type: string; readonly text: string };
  /** Something failed on our side. Called a few times a minute at most, whatever clients do. */
  readonly onTrouble: (message: string) => void;
}

/**
 * A listener that no client can end, whatever it sends:
 *
 *   connection ──► room for it? ──► headers in time? ──► target, size ──► handler ──► answer
 *                  ClientConnections   Node's parser      400, 413, 503    500
 */
export class HttpListener {
  readonly server: HttpServer | HttpsServer;
  private readonly limits: ListenerLimits;
  private readonly clients: ClientConnections;
  private readonly trouble: SeldomReport;

  constructor(private readonly options: ListenerOptions) {
    const limits = { ...usualLimits, ...options.limits };
    this.limits = limits;
    this.clients = new ClientConnections(limits);
    this.trouble = new SeldomReport(options.onTrouble);
    const settings: ServerOptions = {
      maxHeaderSize: 16 * 1024,
      headersTimeout: limits.headersTime,
      requestTimeout: limits.requestTime,
      keepAliveTimeout: limits.keepAlive,
      // How often Node looks for requests that take too long: 30 s, usually.
      connectionsCheckingInterval: Math.min(1000, limits.headersTime),
    };
    const { tls } = options;
    const server =
      tls === undefined
        ? createServer(settings)
        : createTlsServer({ ...settings, ...tls, handshakeTimeout: limits.headersTime });
    server.maxHeadersCount = 100;
    server.maxRequestsPerSocket = 10_000;
    server.setTimeout(limits.silence);
    server.on("connection", (socket: Socket) => {
      // A client that hangs up is no error of ours; without a listener, Node ends the process.
      socket.on("error", () => undefined);
      this.clients.add(socket);
    });
    server.on("secureConnection", (socket: Socket) => socket.on("error", () => undefined));
    server.on("request", (request, response) => void this.take(request, response));
    server.on("checkContinue", (request, response) => void this.take(request, response, true));
    server.on("connect", (_request, socket: Duplex) => refuseRaw(socket, 405));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      // In the middle of an answer, another status line would be read as part of it.
      if (!socket.writable || this.clients.isBusy(socket as Socket)) socket.destroy();
      else refuseRaw(socket, statusOf(error));
    });
    this.server = server;
  }

  /** The port, once it listens. Rejects where the address is not available. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    const { server } = this;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // Left to Node, "all addresses" also works on a kernel that was started without IPv6.
      server.listen(port, host === "::" ? undefined : host, () => {
        server.off("error", reject);
        // Such as too many open files while a connection is accepted: the next one may succeed.
        server.on("error", (error) => this.trouble.report(`the listener failed: ${error.message}`));
        resolve();
      });
    });
    return (server.address() as AddressInfo).port;
  }

  /** `answered`: requests that are being answered are finished first. */
  async close(when: "now" | "answered" = "now"): Promise<void> {
    const { server } = this;
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    if (when === "now") server.closeAllConnections();
    else server.closeIdleConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse, expectsContinue = false) {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const target = requestTarget(request.url);
    if (target === undefined) return this.refuse(response, 400, "the request target is not a path");
    if (isTooLarge(request, this.limits.body)) return this.refuse(response, 413, "the body is too large");
    const turn = this.clients.begin(request.socket);
    if (turn === undefined) return this.refuse(response, 503, "too many requests at once");
    // An answer that waits behind another on a connection that breaks is never closed.
    const gone = new Promise<void>((resolve) => {
      response.once("close", resolve);
      turn.onDisconnect(resolve);
    });
    if (expectsContinue) response.writeContinue();
    try {
      await this.options.handle(request, response, target);
    } catch (cause) {
      this.failed(response, cause);
    }
    await gone;
    turn.end();
  }

  private failed(response: ServerResponse, cause: unknown): void {
    // The client hung up while it was being answered.
    if (response.destroyed) return;
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.trouble.report(`a request failed: ${text}`);
    if (response.headersSent) response.destroy();
    else this.refuse(response, 500, "the request failed; the log of this process has the reason");
  }

  private refuse(response: ServerResponse, status: number, message: string): void {
    refuse(response, status, message, this.options.refusalBody);
  }
}

function isTooLarge({ headers }: IncomingMessage, most: number): boolean {
  if (headers["transfer-encoding"] !== undefined) return most === 0;
  return Number(headers["content-length"] ?? 0) > most;
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Ends the connection as well: what is left of a body must not be read as another request. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  bodyOf: NonNullable<ListenerOptions["refusalBody"]> = plainBody,
): void {
  const { type, text } = bodyOf({ status, message });
  response.writeHead(status, { "content-type": type, connection: "close" }).end(text);
}

const plainBody = ({ message }: Refusal) => ({ type: "text/plain; charset=utf-8", text: `${message}\n` });

function refuseRaw(socket: Duplex, status: number): void {
  socket.on("error", () => undefined);
  socket.write(
    `HTTP/1.1 ${status} ${reasons[status] ?? "Bad Request"}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  (socket as Socket).destroySoon();
}

const reasons: Readonly<Record<number, string>> = {
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
};

function statusOf({ code }: NodeJS.ErrnoException): number {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "HPE_HEADER_OVERFLOW":
      return 431;
    default:
      return 400;
  }
}

/** Undefined where it is larger: no more of it is read then. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > most) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
