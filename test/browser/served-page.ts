import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { readPaths } from "@tierwall/kube";
import { pageFolder } from "@tierwall/ui";

export interface ServedPage {
  /** `http://127.0.0.1:41234/`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The embedded example cluster. */
export const exampleCluster = fileURLToPath(new URL("../../examples/mixed-six-apis", import.meta.url));

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const media: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** The built page, on the state that a folder holds. */
export async function servePage(folder: string = exampleCluster): Promise<ServedPage> {
  const { sources } = readPaths([folder], true);
  const state = JSON.stringify({
    version: 1,
    title: folder.split("/").at(-1),
    revision: "1",
    sources: sources.map((source) => ({ file: source.file, text: "text" in source ? source.text : "" })),
    provenance: "file",
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname === "/api/v1/state") {
      response.writeHead(200, { "content-type": "application/json" }).end(state);
    } else if (pathname === "/api/v1/events") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
    } else {
      try {
        const path = pathname === "/" ? "index.html" : pathname.slice(1);
        const text = readFileSync(new URL(path, pageFolder));
        const type = media[extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(text);
      } catch {
        response.writeHead(404).end();
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
