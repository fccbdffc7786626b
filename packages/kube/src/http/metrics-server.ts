import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../cluster/connection.js";
import { HttpListener } from "./http-listener.js";
import { refuse } from "./refusal.js";
import type { RequestTarget } from "./request-target.js";

/** What Prometheus is given. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface Health {
  /** Why the process cannot go on and should be started again; undefined while it can. */
  readonly broken: () => string | undefined;
  /** What is still missing before it can do its work; undefined once nothing is. */
  readonly waitingFor: () => string | undefined;
}

/** `127.0.0.1:9465`, `[::1]:9465`, `:9465`. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: bracketed ?? (plain === "" || plain === undefined ? "::" : plain), port: Number(port) };
}

/** Whether a request may read metrics; `unavailable`: that could not be found out. */
export type AccessDecision = "allowed" | "unauthenticated" | "forbidden" | "unavailable";

export interface MetricsAccess {
  /** From the header `Authorization`, and the address of the client. */
  check(authorization: string | undefined, address: string): Promise<AccessDecision>;
}

interface MetricsServerOptions {
  readonly address: ListenAddress;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Absent: every client that can connect may read. */
  readonly access?: MetricsAccess;
  /** Called a few times a minute at most. */
  readonly onTrouble: (message: string) => void;
}

export interface MetricsServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Serves /metrics, /livez and /readyz. Probes carry no token, so health is answered to every client; the reason why a process is not
 * healthy goes only to clients that may read the metrics. Rejects where the address is not available.
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { address, onTrouble } = options;
  const endpoints = new MetricsEndpoints(options);
  const listener = new HttpListener({
    handle: (request, response, target) => endpoints.answer(request, response, target),
    isGuest: (request, target) => endpoints.isAnsweredAtOnce(request, target),
    onTrouble,
  });
  try {
    const port = await listener.listen(address);
    return { port, close: () => listener.close() };
  } catch (cause) {
    const { host, port } = address;
    throw new Error(
      `metrics cannot be served at \`${host}:${port}\`: ${messageOf(cause)}; --metrics-address takes another`,
      { cause },
    );
  }
}

interface MetricsClient {
  readonly authorization: string | undefined;
  readonly address: string;
}

class MetricsEndpoints {
  /** Clients that ask at the same time share one text: it takes long to make in a large cluster. */
  private making: Promise<string> | undefined;

  constructor(private readonly options: MetricsServerOptions) {}

  /** Nothing is made or asked for these: while all turns are taken, probes are answered. */
  isAnsweredAtOnce({ headers }: IncomingMessage, { path }: RequestTarget): boolean {
    if (headers.authorization !== undefined) return false;
    return path !== "/metrics" || this.options.access !== undefined;
  }

  async answer(request: IncomingMessage, response: ServerResponse, { path }: RequestTarget): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET");
    const { health } = this.options;
    const client: MetricsClient = {
      authorization: request.headers.authorization,
      address: request.socket.remoteAddress ?? "",
    };
    switch (path) {
      case "/livez":
        return this.answerHealth(response, client, health.broken());
      case "/readyz":
        return this.answerHealth(response, client, health.broken() ?? health.waitingFor());
      case "/metrics":
        return this.answerMetrics(response, client);
      default:
        send(response, 404, "not found; available: /metrics, /livez, /readyz\n");
    }
  }

  private async answerHealth(
    response: ServerResponse,
    client: MetricsClient,
    trouble: string | undefined,
  ): Promise<void> {
    if (trouble === undefined) return send(response, 200, "ok\n");
    const isTold = (await this.decisionFor(client)) === "allowed";
    send(response, 503, isTold ? `${trouble}\n` : "not ready; the log of this process has the reason\n");
  }

  private async answerMetrics(response: ServerResponse, client: MetricsClient): Promise<void> {
    const decision = await this.decisionFor(client);
    switch (decision) {
      case "allowed":
        return send(response, 200, await this.text(), { "content-type": this.options.metrics.contentType });
      case "unauthenticated":
        return send(response, 401, "send a token of this cluster as `Authorization: Bearer TOKEN`\n", {
          "www-authenticate": 'Bearer realm="tierwall"',
        });
      case "forbidden":
        return send(response, 403, "this account may not `get` the URL /metrics\n");
      case "unavailable":
        return send(response, 503, "the API server did not say whether this token may read metrics\n", {
          "retry-after": "5",
        });
    }
  }

  private async decisionFor({ authorization, address }: MetricsClient): Promise<AccessDecision> {
    const { access } = this.options;
    return access === undefined ? "allowed" : access.check(authorization, address);
  }

  private text(): Promise<string> {
    this.making ??= this.options.metrics.text().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  // A client that is not let in has no use for the connection.
  const closing = status === 401 || status === 403 || status === 404 ? { connection: "close" } : {};
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", ...closing, ...headers })
    .end(text);
}
