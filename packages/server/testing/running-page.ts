import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StateOptions } from "@tierwall/core/state";
import { FileFeed } from "../src/file-feed.js";
import { type PageOptions, type RunningPage, startPage } from "../src/start-page.js";

/** A page that runs, on files that can be written. */
export interface TestPage extends RunningPage {
  readonly write: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
  readonly get: (path: string, sent?: Sent) => Promise<Got>;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  readonly value: () => unknown;
}

const builtPage = {
  "index.html": "<!doctype html><title>Tierwall</title>",
  "assets/index-Ab_12-cd.js": "console.log('a page');\n".repeat(200),
  "assets/icon.svg": "<svg/>",
};

export async function runPage(
  files: Readonly<Record<string, string>>,
  { state = {}, ...options }: Partial<Omit<PageOptions, "feed">> & { readonly state?: StateOptions } = {},
): Promise<TestPage> {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-page-"));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(builtPage)) write(`page/${name}`, text);
  for (const [name, text] of Object.entries(files)) write(`manifests/${name}`, text);
  const opened = FileFeed.open({ paths: [join(folder, "manifests")], title: "Test", recursive: true, state });
  if (!opened.ok) throw new Error(opened.diagnostics[0]!.message);
  const started = await startPage({
    feed: opened.feed,
    port: 0,
    folder: pathToFileURL(`${join(folder, "page")}/`),
    ...options,
  });
  if (!started.ok) throw new Error(started.message);
  const { page } = started;
  return {
    ...page,
    write: (name, text) => write(`manifests/${name}`, text),
    remove: (name) => rmSync(join(folder, "manifests", name)),
    get: async (path, sent) => send(page.port, path, sent),
    close: async () => {
      await page.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Without a browser's or a library's opinion on what may be sent: paths and headers go out as they are. */
export async function send(
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: Sent = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", path, method, headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("error", reject);
      answer.on("end", () => {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString("utf8");
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          bytes,
          text,
          value: () => JSON.parse(text) as unknown,
        });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** A little cluster in which something is allowed, denied and not decided. */
export const shop = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {nodeName: worker-1, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}
status: {podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: shop, labels: {app: db}}
spec: {nodeName: worker-1, containers: [{name: c, ports: [{name: sql, containerPort: 5432}]}]}
status: {podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.2}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {clusterIP: 10.96.0.2, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}
`;

export const dbPolicy = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db-from-cart, namespace: shop}
spec:
  podSelector: {matchLabels: {app: db}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {matchLabels: {app: cart}}}]
      ports: [{port: 5432}]
`;
