import type { IncomingMessage } from "node:http";
import type { Connection, KubeRequest } from "@tierwall/kube";

/** What the API server made of a request. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a test does to a cluster. Whatever the API server refuses is an error, unless it is asked for its answer. */
export class ApiClient {
  constructor(private readonly connection: Connection) {}

  async create(collection: string, object: object): Promise<void> {
    await this.send({ method: "POST", path: collection, body: JSON.stringify(object) });
  }

  /** A merge patch. */
  async patch(path: string, change: object): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    await this.send({ method: "PATCH", path, headers, body: JSON.stringify(change) });
  }

  async delete(path: string): Promise<void> {
    await this.send({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
  }

  /** The status of the answer, whatever it is. */
  async statusOf(path: string): Promise<number> {
    const response = await this.sent({ path });
    response.resume();
    return response.statusCode ?? 0;
  }

  /** The answer, whatever it is. */
  async ask(request: Omit<KubeRequest, "idleMilliseconds">): Promise<ApiAnswer> {
    const headers = { "content-type": "application/json", ...request.headers };
    const response = await this.sent({ ...request, headers });
    const text = await textOf(response);
    // A watch that saw nothing answers nothing.
    const isJson = text !== "" && response.headers["content-type"]?.includes("json");
    return {
      status: response.statusCode ?? 0,
      body: isJson ? (JSON.parse(text) as ApiAnswer["body"]) : { message: text },
    };
  }

  private async sent(request: Omit<KubeRequest, "idleMilliseconds">): Promise<IncomingMessage> {
    const send = () => this.connection.send({ ...request, idleMilliseconds: 60_000 });
    return send().catch((cause: NodeJS.ErrnoException) => {
      // API servers close connections that are idle for long, also while this thread waits for a command to end.
      if (cause.code !== "ECONNRESET" && cause.code !== "EPIPE") throw cause;
      return send();
    });
  }

  private async send(request: Omit<KubeRequest, "idleMilliseconds">): Promise<void> {
    const { status, body } = await this.ask(request);
    if (status >= 300)
      throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  return text;
}
