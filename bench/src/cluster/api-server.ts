import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { fileURLToPath } from "node:url";
import { freePorts } from "./free-ports.js";
import { LocalApiServer, type ServerBinaries, type ServerPorts } from "./local-api-server.js";

/** An API server to fill with many objects and to send many requests. */
export class ApiServer extends LocalApiServer {
  private agent: Agent | undefined;

  private constructor(
    binaries: ServerBinaries,
    ports: ServerPorts,
    private readonly token: string,
  ) {
    super(binaries, ports, [[token, "admin"]]);
  }

  static async start(): Promise<ApiServer> {
    const script = fileURLToPath(new URL("../../../scripts/kube-binaries.mjs", import.meta.url));
    const paths = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim().split(/\s+/);
    const binary = (name: string) => paths.find((path) => path.endsWith(name))!;
    const [etcd, peers, api] = await freePorts(3);
    const server = new ApiServer(
      { apiserver: binary("kube-apiserver"), etcd: binary("etcd") },
      { etcd: etcd!, peers: peers!, api: api! },
      randomUUID(),
    );
    await server.startEtcd();
    await server.startApiServer();
    return server;
  }

  /** The path of a kubeconfig with all permissions. */
  get kubeconfig(): string {
    return this.kubeconfigWith(this.token, "admin");
  }

  /** Rejects where the API server refuses. */
  async send(method: string, path: string, body?: string | object): Promise<string> {
    const response = await this.open(method, path, body);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
    if (response.statusCode! >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text;
  }

  /** Objects straight into etcd, by key: requests for 100,000 pods take an hour on two cores. */
  async store(objects: readonly (readonly [key: string, object: object])[]): Promise<void> {
    const encoded = (text: string) => Buffer.from(text).toString("base64");
    for (let done = 0; done < objects.length; done += puts) {
      const success = objects.slice(done, done + puts).map(([key, object]) => ({
        requestPut: { key: encoded(key), value: encoded(JSON.stringify(object)) },
      }));
      const answer = await fetch(`http://127.0.0.1:${this.ports.etcd}/v3/kv/txn`, {
        method: "POST",
        body: JSON.stringify({ success }),
      });
      if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
    }
  }

  /** The answer as it comes. Text is YAML; objects go as JSON, or as a merge patch. */
  open(method: string, path: string, body?: string | object): Promise<IncomingMessage> {
    const patch = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const type = typeof body === "string" ? "application/yaml" : patch;
    const headers = { authorization: `Bearer ${this.token}`, "content-type": type };
    this.agent ??= new Agent({ keepAlive: true, ca: readFileSync(this.certificate) });
    const options = { method, headers, agent: this.agent };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.server}${path}`, options, resolve).on("error", reject);
      sent.end(typeof body === "object" ? JSON.stringify(body) : body);
    });
  }

  override async stop(): Promise<void> {
    this.agent?.destroy();
    await super.stop();
  }
}

/** How many etcd takes in a transaction. */
const puts = 100;
