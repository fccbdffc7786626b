import type { IncomingMessage } from "node:http";
import type { Connection, KubeRequest } from "@tierwall/kube";

/** What a test does to a cluster. Whatever the API server refuses is an error. */
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
    const response = await this.connection.send({ path, idleMilliseconds: 10_000 });
    response.resume();
    return response.statusCode ?? 0;
  }

  private async send(request: Omit<KubeRequest, "idleMilliseconds">): Promise<void> {
    const headers = { "content-type": "application/json", ...request.headers };
    const response = await this.connection.send({ ...request, headers, idleMilliseconds: 10_000 });
    const text = await textOf(response);
    if ((response.statusCode ?? 0) >= 300)
      throw new Error(`${request.method} ${request.path}: ${response.statusCode} ${text}`);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  return text;
}
