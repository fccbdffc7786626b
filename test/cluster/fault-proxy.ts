import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Connection } from "@tierwall/kube";

/** What the proxy does with a request instead of passing it on. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Stands between a client and the API server, and does what networks and busy servers do: connections break, also in the
 * middle of a line, or stand still, and requests are refused.
 */
export class FaultProxy {
  private readonly server: Server;
  private readonly open = new Set<ServerResponse>();
  /** Requests that were passed on or refused, as `GET /api/v1/pods?…`. */
  readonly requests: string[] = [];
  /** Asked about each request; undefined lets it pass. */
  refuse: (path: string) => Refusal | undefined = () => undefined;
  /** Nothing comes through, now or later, on existing connections, without an error. */
  isStalled = false;
  /** Each answer breaks after so many bytes. */
  breakAfter = Number.POSITIVE_INFINITY;

  private constructor(private readonly upstream: Connection) {
    this.server = createServer((request, response) => void this.pass(request, response));
  }

  static async before(upstream: Connection): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks all connections there are. */
  breakAll(): void {
    for (const response of this.open) response.destroy();
  }

  async stop(): Promise<void> {
    this.breakAll();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    this.requests.push(`${request.method} ${path}`);
    this.open.add(response);
    const leaving = new AbortController();
    response.on("close", () => {
      this.open.delete(response);
      leaving.abort();
    });
    const refusal = this.refuse(path);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? "");
      return;
    }
    try {
      const { signal } = leaving;
      const answer = await this.upstream.send({ path, idleMilliseconds: 600_000, signal });
      response.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" });
      response.flushHeaders();
      let sent = 0;
      let stands = false;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        stands ||= this.isStalled;
        if (stands) continue;
        const part = chunk.subarray(0, this.breakAfter - sent);
        sent += part.length;
        response.write(part);
        if (part.length < chunk.length) response.destroy();
      }
      if (!stands) response.end();
    } catch {
      // The API server or the client is gone: the connection breaks.
      response.destroy();
    }
  }
}
