import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { TlsOptions } from "node:tls";
import { HttpListener, type ListenerLimits, readBody } from "../http/http-listener.js";
import { type Refusal, refuse } from "../http/refusal.js";
import type { RequestTarget } from "../http/request-target.js";
import { type AdmissionAnswer, type AdmissionRequest, readReview, reviewOf } from "./admission-review.js";
import type { Issued } from "./certificates/issue.js";
import type { ClientAuthority } from "./client-authority.js";
import { webhookPath } from "./configuration.js";
import { isTokenPath } from "./path-token.js";

/** Answers a request before a deadline on the clock of `Date.now()`. */
type Answering = (request: AdmissionRequest, deadline: number) => Promise<AdmissionAnswer>;

interface ServerListener {
  /** A client sent what no API server sends, or is none that was expected. */
  onBadRequest(message: string): void;
  onTrouble(message: string): void;
}

/** API servers send no larger objects, and an update has two. */
const largestBody = 3 * 1024 * 1024;
/** Milliseconds that API servers wait if the request has no timeout. */
const usualTimeout = 10_000;
/** The largest `timeoutSeconds` of a ValidatingWebhookConfiguration. */
const longestTimeout = 30_000;
/** The share of the timeout that is for the analysis; the rest is for the network. */
const shareOfTime = 0.6;

const limits: Partial<ListenerLimits> = {
  connections: 256,
  // Each holds a body: together, no more than about 100 MB.
  requests: 32,
  requestsPerAddress: 24,
  body: largestBody,
  requestTime: 30_000,
  // Longer than API servers keep an idle connection: closed here first, a request may be on its way.
  keepAlive: 120_000,
  silence: 150_000,
};

/** Takes AdmissionReviews over HTTPS. Its certificate can be changed while it runs. */
export class WebhookServer {
  private listener: HttpListener | undefined;
  private issued: Issued | undefined;

  constructor(
    private readonly answer: Answering,
    private readonly events: ServerListener,
    /** API servers send requests to a path with one of these. */
    private readonly pathTokens: () => readonly string[],
    /** Clients with a certificate that is expected are answered, and no others. */
    private readonly clients?: ClientAuthority,
  ) {}

  /** The port, once it listens. */
  async listen(port: number, host: string | undefined, issued: Issued): Promise<number> {
    this.issued = issued;
    const listener = new HttpListener({
      handle: (request, response, target) => this.handle(request, response, target),
      limits,
      tls: this.tlsOptions(issued),
      onTrouble: (message) => this.events.onTrouble(message),
    });
    this.listener = listener;
    this.clients?.follow(() => this.issued && this.serve(this.issued));
    return listener.listen({ host: host ?? "::", port });
  }

  /** For connections from now on; those that are open go on. */
  serve(issued: Issued): void {
    this.issued = issued;
    (this.listener?.server as HttpsServer | undefined)?.setSecureContext(this.tlsOptions(issued));
  }

  /** Answers what was asked already. */
  async stop(): Promise<void> {
    this.clients?.stop();
    await this.listener?.close("answered");
  }

  private tlsOptions({ certificate, key }: Issued): TlsOptions {
    return { cert: certificate, key, minVersion: "TLSv1.2", ...this.clients?.tlsOptions() };
  }

  private async handle(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
  ): Promise<void> {
    const began = Date.now();
    const refusal =
      this.refusedClient(request, target) ??
      refusalOf(request) ??
      (await this.review(request, response, target, began));
    if (refusal === undefined) return;
    this.events.onBadRequest(refusal.message);
    refuse(response, refusal.status, refusal.message);
  }

  /** Why a client is not accepted as an API server. */
  private refusedClient({ socket }: IncomingMessage, { path }: RequestTarget): Refusal | undefined {
    const hasToken = isTokenPath(path, this.pathTokens());
    if (!hasToken && path !== webhookPath && !path.startsWith(`${webhookPath}/`))
      return { status: 404, message: `there is only ${webhookPath}` };
    if (this.clients !== undefined) return this.clients.refusalOf(socket);
    return hasToken
      ? undefined
      : {
          status: 401,
          message: "only API servers are answered; the secret part of the path is missing or wrong",
        };
  }

  private async review(
    request: IncomingMessage,
    response: ServerResponse,
    { query }: RequestTarget,
    began: number,
  ): Promise<Refusal | undefined> {
    const body = await readBody(request, largestBody);
    if (body === undefined)
      return { status: 413, message: `the body is larger than ${largestBody / 1024 / 1024} MB` };
    const read = readReview(body.toString("utf8"), body.length);
    if (!read.ok) return { status: 400, message: read.message };
    const deadline = began + timeoutIn(query) * shareOfTime;
    const answer = await this.answer(read.request, deadline);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(reviewOf(read.request.uid, answer)));
    return undefined;
  }
}

function refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method !== "POST") return { status: 405, message: "an AdmissionReview is sent with POST" };
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") return { status: 415, message: "the body must be `application/json`" };
  return undefined;
}

/** Milliseconds. API servers send `?timeout=10s`, the way Go writes durations. Longer ones are reduced to the longest they can wait. */
export function timeoutIn(query: URLSearchParams): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m)$/.exec(query.get("timeout") ?? "") ?? [];
  if (number === undefined) return usualTimeout;
  const wanted = Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit as "ms" | "s" | "m"];
  return Math.min(wanted, longestTimeout);
}
