import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type AdmissionAnswer, type AdmissionRequest, readReview, reviewOf } from "./admission-review.js";
import type { Issued } from "./certificates/issue.js";
import { webhookPath } from "./configuration.js";

/** Answers a request before a deadline on the clock of `Date.now()`. */
export type Answering = (request: AdmissionRequest, deadline: number) => Promise<AdmissionAnswer>;

export interface ServerListener {
  /** Somebody sent what no API server sends. */
  onBadRequest(message: string): void;
  onTrouble(message: string): void;
}

/** API servers send no larger objects, and an update has two. */
const largestBody = 3 * 1024 * 1024;
/** Seconds that API servers wait if they do not say. */
const usualTimeout = 10;
/** Of the time that an API server waits, so much is for finding out; the rest for the way. */
const shareOfTime = 0.6;

/** Takes AdmissionReviews over HTTPS. Its certificate can be changed while it runs. */
export class WebhookServer {
  private server: Server | undefined;

  constructor(
    private readonly answer: Answering,
    private readonly listener: ServerListener,
  ) {}

  /** The port, once it listens. */
  async listen(port: number, host: string | undefined, { certificate, key }: Issued): Promise<number> {
    const server = createServer({ cert: certificate, key, minVersion: "TLSv1.2" }, (request, response) => {
      void this.handle(request, response);
    });
    server.requestTimeout = 30_000;
    // Longer than API servers keep a connection that is idle: whoever closes first must not be us, while they send.
    server.keepAliveTimeout = 120_000;
    server.headersTimeout = 10_000;
    // Who hangs up in the middle of it is not worth a word.
    server.on("tlsClientError", () => undefined);
    server.listen(port, host);
    await once(server, "listening");
    this.server = server;
    return (server.address() as AddressInfo).port;
  }

  /** For connections from now on; those that are open go on. */
  serve({ certificate, key }: Issued): void {
    this.server?.setSecureContext({ cert: certificate, key, minVersion: "TLSv1.2" });
  }

  /** Answers what was asked already. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = Date.now();
    try {
      const url = new URL(request.url ?? "/", "https://webhook");
      const refused = refusalOf(request, url) ?? (await this.review(request, response, url, began));
      if (refused !== undefined) this.refuse(response, refused);
    } catch (cause) {
      this.listener.onTrouble(String(cause));
      this.refuse(response, { status: 500, message: "the webhook failed; its log says why" });
    }
  }

  private async review(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    began: number,
  ): Promise<Refusal | undefined> {
    const text = await bodyOf(request);
    if (text === undefined)
      return { status: 413, message: `the body is larger than ${largestBody / 1024 / 1024} MB` };
    const read = readReview(text);
    if (!read.ok) return { status: 400, message: read.message };
    const deadline = began + timeoutIn(url) * shareOfTime;
    const answer = await this.answer(read.request, deadline);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(reviewOf(read.request.uid, answer)));
    return undefined;
  }

  private refuse(response: ServerResponse, { status, message }: Refusal): void {
    if (status < 500) this.listener.onBadRequest(message);
    if (response.headersSent) return void response.destroy();
    // What is left of a body that nobody reads must not keep the connection.
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(`${message}\n`);
  }
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

function refusalOf({ method, headers }: IncomingMessage, { pathname }: URL): Refusal | undefined {
  if (pathname !== webhookPath) return { status: 404, message: `there is only ${webhookPath}` };
  if (method !== "POST") return { status: 405, message: "an AdmissionReview is sent with POST" };
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") return { status: 415, message: "the body must be `application/json`" };
  return undefined;
}

/** Undefined where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > largestBody) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > largestBody) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Milliseconds. API servers say `?timeout=10s`, the way Go writes durations. */
export function timeoutIn({ searchParams }: URL): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(searchParams.get("timeout") ?? "") ?? [];
  if (number === undefined) return usualTimeout * 1000;
  return Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit as "ms" | "s" | "m"];
}
