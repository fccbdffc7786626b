import { type IncomingMessage, request as httpRequest } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";

export interface ConnectionOptions {
  /** Absent: `$KUBECONFIG`, `~/.kube/config`, or the service account of the pod we run in. */
  readonly kubeconfig?: string;
  /** Absent: the current one. */
  readonly context?: string;
}

export interface KubeRequest {
  /** `/api/v1/pods?limit=500` */
  readonly path: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Without a byte for this long, the connection is given up. */
  readonly idleMilliseconds: number;
  readonly signal?: AbortSignal;
}

/** The API server of a cluster, and our credentials. */
export interface Connection {
  /** Its name in the kubeconfig. */
  readonly context: string;
  readonly server: string;
  /** The namespace that the context is about, if it names one. */
  readonly namespace: string | undefined;
  /** Resolves when the answer begins. Its body is streamed, and fails where the connection does. */
  send(request: KubeRequest): Promise<IncomingMessage>;
}

type Connected =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly message: string };

/** Reads how to get to the cluster; whether it can be reached shows with the first request. */
export async function connect({ kubeconfig, context }: ConnectionOptions = {}): Promise<Connected> {
  // It takes half a second to load, which commands that read files need not wait for.
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  const config = new Config();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (cause) {
    const named = kubeconfig ?? process.env.KUBECONFIG ?? "~/.kube/config";
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    return refusal(
      `\`${named}\` cannot be read as a kubeconfig: ${isMissing ? `it does not exist${whyItMatters(context)}` : messageOf(cause)}`,
    );
  }
  if (context !== undefined) {
    if (config.getCurrentContext() === madeUpContext)
      return refusal(
        `there is no kubeconfig${whyItMatters(context)}; name one with \`--kubeconfig\`, or in $KUBECONFIG`,
      );
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map(({ name }) => `\`${name}\``);
      return refusal(`there is no context \`${context}\`; there are: ${known.join(", ") || "none"}`);
    }
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (config.getCurrentContext() === madeUpContext)
    return refusal("there is no kubeconfig; name one with `--kubeconfig`, or in $KUBECONFIG");
  if (cluster === null) return refusal("the kubeconfig names no cluster; choose a context with `--context`");
  return { ok: true, connection: new KubeConnection(config, config.getCurrentContext(), cluster.server) };
}

const whyItMatters = (context: string | undefined): string =>
  context === undefined ? "" : `, and a kubeconfig is where context \`${context}\` is looked up`;

/** What the library takes where it finds nothing at all: a server that hardly exists anywhere. */
const madeUpContext = "loaded-context";

const refusal = (message: string): Connected => ({ ok: false, message });

class KubeConnection implements Connection {
  private kept: { readonly secrets: string; readonly agent: Agent } | undefined;

  constructor(
    private readonly config: KubeConfig,
    readonly context: string,
    readonly server: string,
  ) {}

  get namespace(): string | undefined {
    return this.config.getContextObject(this.context)?.namespace;
  }

  async send(request: KubeRequest): Promise<IncomingMessage> {
    const { path, method = "GET", headers = {}, body, idleMilliseconds, signal } = request;
    const options: RequestOptions = {
      method,
      headers: { accept: "application/json", ...headers },
      ...(signal === undefined ? {} : { signal }),
    };
    // For each request: tokens and certificates are renewed while we run.
    await this.config.applyToHTTPSOptions(options);
    this.keepAlive(options);
    const url = new URL(`${this.server.replace(/\/$/, "")}${path}`);
    return new Promise((resolve, reject) => {
      const sent = (url.protocol === "http:" ? httpRequest : httpsRequest)(url, options, resolve);
      sent.on("error", reject);
      sent.on("socket", (socket) => socket.setKeepAlive(true, 15_000));
      sent.setTimeout(idleMilliseconds, () =>
        sent.destroy(new Error(`the API server did not answer for ${idleMilliseconds / 1000} s`)),
      );
      sent.end(body);
    });
  }

  /** The library makes an agent for each request, and so a TLS handshake. One is enough while the secrets are the same. */
  private keepAlive(options: RequestOptions): void {
    const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized, agent } = options;
    // Those that go through a proxy are of another class.
    if (!(agent instanceof Agent) || Object.getPrototypeOf(agent) !== Agent.prototype) return;
    const secrets = JSON.stringify([ca, cert, key, pfx, passphrase, servername, rejectUnauthorized]);
    if (this.kept?.secrets !== secrets) {
      this.kept?.agent.destroy();
      this.kept = { secrets, agent: new Agent({ ...agent.options, keepAlive: true }) };
    }
    options.agent = this.kept.agent;
  }
}

export async function bodyText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The complete lines of a stream. Text after the last line end was cut off, and is dropped. */
export async function* linesIn(stream: AsyncIterable<Buffer>): AsyncIterable<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

const lineEnd = 0x0a;

export function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // Where several addresses were tried, the errors of each have the reason, and the error around them does not.
  const inner = cause instanceof AggregateError ? (cause.errors as readonly unknown[]).map(messageOf) : [];
  // The message of Node does not explain what was aborted.
  if (cause.message === "aborted") return "the connection was closed in the middle of an answer";
  return cause.message || inner.join(", ") || cause.name;
}
