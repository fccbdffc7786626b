import { isIP } from "node:net";
import type { Logger } from "pino";
import type { Connection } from "../cluster/connection.js";
import {
  type Health,
  type Metrics,
  type MetricsServer,
  parseListenAddress,
  serveMetrics,
} from "./metrics-server.js";
import { TokenAccess } from "./token-access.js";

/** `token`: only accounts of the cluster that may `get` the URL /metrics. */
export type MetricsAuth = "none" | "token";

/** What the options of a command say about metrics. */
export interface MetricsCommand {
  /** `:9464` */
  readonly address: string;
  readonly auth: MetricsAuth;
}

interface MetricsParts {
  readonly metrics: Metrics;
  readonly health: Health;
  /** To the API server that knows the tokens; absent where there is none. */
  readonly connection: Connection | undefined;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
}

/** Serves metrics as the options of a command say. Rejects with what is wrong with them. */
export async function openMetrics(
  { address: text, auth }: MetricsCommand,
  { connection, log, ...parts }: MetricsParts,
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

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
