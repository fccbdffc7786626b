import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

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
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: bracketed ?? (plain === "" || plain === undefined ? "::" : plain), port: Number(port) };
}

/** Serves /metrics, /livez and /readyz. Rejects where the address cannot be had. */
export async function serveMetrics(
  address: ListenAddress,
  metrics: Metrics,
  health: Health,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type }).end(text);
    };
    const check = (trouble: string | undefined) =>
      trouble === undefined ? answer(200, "ok\n") : answer(503, `${trouble}\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return answer(405, "only GET\n");
    switch (new URL(request.url ?? "/", "http://here").pathname) {
      case "/livez":
        return check(health.broken());
      case "/readyz":
        return check(health.broken() ?? health.waitingFor());
      case "/metrics":
        metrics.text().then(
          (text) => answer(200, text, metrics.contentType),
          (error: unknown) => answer(500, `${String(error)}\n`),
        );
        return;
      default:
        answer(404, "there are /metrics, /livez and /readyz\n");
    }
  });
  await listening(server, address);
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

function listening(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new Error(
          `metrics cannot be served at \`${host}:${port}\`: ${error.message}; --metrics-address takes another`,
        ),
      ),
    );
    // Left to Node, all addresses are also those of a kernel that was started without IPv6.
    server.listen(port, host === "::" ? undefined : host, resolve);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
