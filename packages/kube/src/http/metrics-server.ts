import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { type Connection, messageOf } from "../cluster/connection.js";
import { type Handler, HttpListener } from "./http-listener.js";
import { isLoopback, type ListenAddress, parseListenAddress } from "./listen-address.js";
import { refuse } from "./refusal.js";
import { type AccessDecision, type MetricsAccess, TokenAccess } from "./token-access.js";

interface MetricsParts {
  /** What Prometheus is given. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  readonly health: Health;
}

interface Health {
  /** Why the process cannot go on and should be started again; undefined while it can. */
  readonly broken: () => string | undefined;
  /** What is still missing before it can do its work; undefined once nothing is. */
  readonly waitingFor: () => string | undefined;
}

interface MetricsServerOptions extends MetricsParts {
  readonly address: ListenAddress;
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
  const { address, access, onTrouble } = options;
  const listener = new HttpListener({
    handle: metricsHandler(options),
    // Nothing is made or asked for these: while all turns are taken, probes are answered.
    isGuest: ({ headers }, { path }) =>
      headers.authorization === undefined && (path !== "/metrics" || access !== undefined),
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

function metricsHandler({ metrics, health, access }: MetricsServerOptions): Handler {
  /** Clients that ask at the same time share one text: it takes long to make in a large cluster. */
  let making: Promise<string> | undefined;
  const decisionFor = async ({ headers, socket }: IncomingMessage): Promise<AccessDecision> =>
    access === undefined ? "allowed" : access.check(headers.authorization, socket.remoteAddress ?? "");
  return async (request, response, { path }) => {
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET");
    if (path === "/metrics") {
      const decision = await decisionFor(request);
      if (decision !== "allowed") return send(response, ...refusals[decision]);
      making ??= metrics.text().finally(() => (making = undefined));
      return send(response, 200, await making, { "content-type": metrics.contentType });
    }
    if (path !== "/livez" && path !== "/readyz")
      return send(response, 404, "not found; available: /metrics, /livez, /readyz\n");
    const trouble = health.broken() ?? (path === "/readyz" ? health.waitingFor() : undefined);
    if (trouble === undefined) return send(response, 200, "ok\n");
    const mayKnow = (await decisionFor(request)) === "allowed";
    send(response, 503, mayKnow ? `${trouble}\n` : "not ready; the log of this process has the reason\n");
  };
}

type Headers = Readonly<Record<string, string>>;

const refusals: Readonly<
  Record<Exclude<AccessDecision, "allowed">, readonly [status: number, text: string, headers?: Headers]>
> = {
  unauthenticated: [
    401,
    "send a token of this cluster as `Authorization: Bearer TOKEN`\n",
    { "www-authenticate": 'Bearer realm="tierwall"' },
  ],
  forbidden: [403, "this account may not `get` the URL /metrics\n"],
  unavailable: [
    503,
    "the API server did not say whether this token may read metrics\n",
    { "retry-after": "5" },
  ],
};

function send(response: ServerResponse, status: number, text: string, headers: Headers = {}): void {
  // A client that is not let in has no use for the connection.
  const closing = status === 401 || status === 403 || status === 404 ? { connection: "close" } : {};
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", ...closing, ...headers })
    .end(text);
}

/** `token`: only accounts of the cluster that may `get` the URL /metrics. */
export type MetricsAuth = "none" | "token";

/** The options of a command about metrics. */
export interface MetricsCommand {
  /** `:9464` */
  readonly address: string;
  readonly auth: MetricsAuth;
}

interface CommandParts extends MetricsParts {
  /** To the API server that checks tokens; absent where there is none. */
  readonly connection: Connection | undefined;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
}

/** Serves metrics according to the options of a command. Rejects where they are not valid. */
export async function openMetrics(
  { address: text, auth }: MetricsCommand,
  { connection, log, ...parts }: CommandParts,
): Promise<MetricsServer> {
  const address = parseListenAddress(text);
  if (address === undefined)
    throw new Error(`\`${text}\` is not an address and a port, such as 127.0.0.1:9464 or :9464`);
  if (auth === "token" && connection === undefined)
    throw new Error("--metrics-auth token needs a cluster whose API server checks the tokens");
  const server = await serveMetrics({
    ...parts,
    address,
    ...(auth === "token" ? { access: new TokenAccess(connection!) } : {}),
    onTrouble: (message) => log.error({ message }, "the metrics listener had an error"),
  });
  log.info({ port: server.port, auth }, "serving /metrics, /livez and /readyz");
  if (auth === "none" && !isLoopback(address.host))
    log.warn(
      { address: text },
      "every client that reaches this address can read the metrics; --metrics-auth token restricts them",
    );
  return server;
}
