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
import { ClientConnections, type ConnectionLimits } from "./client-connections.js";
import { refuse, type RefusalBody, refuseRaw, statusOf } from "./refusal.js";
import { type Exchange, RequestShare, type ShareLimits } from "./exchange.js";
import { type RequestTarget, requestTarget } from "./request-target.js";
import { SeldomReport } from "./seldom-report.js";

/** Times are in milliseconds. */
export interface ListenerLimits extends ShareLimits, ConnectionLimits {
  /** For guests (`isGuest`). */
  readonly guests: ShareLimits & { readonly requestTime: number };
  /** Bytes that a request may announce. A body without a length is for the handler to count (`readBody`), unless this is 0. */
  readonly body: number;
  /** From the start of a connection, or of a further request on it, to the end of the headers; of TLS, to the end of the handshake. */
  readonly headersTime: number;
  /** To the end of the body. */
  readonly requestTime: number;
  /** How long an idle connection is kept for another request. */
  readonly keepAlive: number;
}

/** Enough for probes and some Prometheus servers. */
export const usualLimits: ListenerLimits = {
  connections: 128,
  requests: 32,
  requestsPerAddress: 16,
  guests: { requests: 32, requestsPerAddress: 16, requestTime: 5000 },
  // Answers of one moment are sent in the next: more than are made at the same time.
  unreadAnswers: 96,
  pipelined: 8,
  body: 0,
  headersTime: 10_000,
  requestTime: 15_000,
  keepAlive: 15_000,
  silence: 30_000,
  unread: 5000,
};

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => void | Promise<void>;

export interface ListenerOptions {
  /** Resolves when the answer is complete, whether or not the client has read it. */
  readonly handle: Handler;
  /**
   * Requests that have turns of their own, apart from the others: probes, and clients that did not log in. Neither kind can take all
   * turns of the other.
   */
  readonly isGuest?: (request: IncomingMessage, target: RequestTarget) => boolean;
  readonly limits?: Partial<ListenerLimits>;
  /** Absent: without TLS. */
  readonly tls?: TlsOptions;
  /** How a refusal is written; as plain text, if it is absent. */
  readonly refusalBody?: RefusalBody;
  /** Something failed on our side. Called a few times a minute at most, whatever clients do. */
  readonly onTrouble: (message: string) => void;
}

/**
 * A listener that no client can end, whatever it sends:
 *
 *   connection ──► room for it? ──► headers in time? ──► target, size ──► a turn? ──► handler ──► answer ──► read in time?
 *                  ClientConnections   Node's parser      400, 413         503          500                    ClientConnections
 */
export class HttpListener {
  readonly server: HttpServer | HttpsServer;
  private readonly limits: ListenerLimits;
  private readonly clients: ClientConnections;
  private readonly usual: RequestShare;
  private readonly guests: RequestShare;
  /** TLS sockets whose handshake is done. */
  private readonly secured = new WeakSet<Duplex>();
  private readonly trouble: SeldomReport;

  constructor(private readonly options: ListenerOptions) {
    const limits = { ...usualLimits, ...options.limits };
    this.limits = limits;
    this.clients = new ClientConnections(limits);
    this.usual = new RequestShare(limits);
    this.guests = new RequestShare(limits.guests);
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
      // A client that disconnects is not our error; without a listener, Node ends the process.
      socket.on("error", () => undefined);
      this.clients.add(socket);
    });
    server.on("secureConnection", (socket: Socket) => {
      this.secured.add(socket);
      socket.on("error", () => undefined);
    });
    server.on("request", (request, response) => void this.take(request, response));
    server.on("checkContinue", (request, response) => void this.take(request, response, true));
    server.on("connect", (_request, socket: Duplex) => refuseRaw(socket, 405));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      // Before the end of a handshake nothing can be written, and a socket that is to be closed after it would stay open for ever.
      const canWrite = socket.writable && (tls === undefined || this.secured.has(socket));
      // In the middle of an answer, another status line would be read as part of it.
      if (!canWrite || this.clients.isBusy(socket as Socket)) socket.destroy();
      else refuseRaw(socket, statusOf(error));
    });
    this.server = server;
  }

  /** The port, once it listens. Rejects where the address is not available; another can be tried then. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    const { server } = this;
    await new Promise<void>((resolve, reject) => {
      const onListening = () => {
        server.off("error", onError);
        // Such as too many open files while a connection is accepted: the next one may succeed.
        server.on("error", (error) => this.trouble.report(`the listener failed: ${error.message}`));
        resolve();
      };
      const onError = (error: Error) => {
        server.off("listening", onListening);
        reject(error);
      };
      server.once("error", onError).once("listening", onListening);
      // Left to Node, "all addresses" also works on a kernel that was started without IPv6.
      server.listen(port, host === "::" ? undefined : host);
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
    const exchange = this.clients.begin(request.socket, response);
    if (exchange === undefined) return;
    await this.answer(request, response, exchange, expectsContinue);
    await exchange.end();
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    expectsContinue: boolean,
  ): Promise<void> {
    const target = requestTarget(request.url);
    if (target === undefined) return this.refuse(response, 400, "the request target is not a path");
    if (isTooLarge(request, this.limits.body)) return this.refuse(response, 413, "the body is too large");
    const isGuest = this.options.isGuest?.(request, target) ?? false;
    if (!exchange.takeTurn(isGuest ? this.guests : this.usual))
      return this.refuse(response, 503, "too many requests at once");
    const { requestTime } = this.limits.guests;
    const slow = isGuest
      ? setTimeout(() => request.complete || exchange.disconnect(), requestTime).unref()
      : undefined;
    if (expectsContinue) response.writeContinue();
    try {
      await this.options.handle(request, response, target);
    } catch (cause) {
      this.failed(response, cause);
    }
    clearTimeout(slow);
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
