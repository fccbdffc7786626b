import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Representation } from "./representation.js";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * The built page, all of it read at the start, by the path of a request: what is not in this table does not exist,
 * whatever the path contains.
 */
export function readPage(folder: URL): ReadonlyMap<string, Representation> {
  const root = fileURLToPath(folder);
  const files = new Map<string, Representation>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = join(entry.parentPath, entry.name);
    const path = `/${name.slice(root.length).replaceAll("\\", "/").replace(/^\/+/, "")}`;
    const bytes = new Uint8Array(readFileSync(name));
    const type = types[extname(name)] ?? "application/octet-stream";
    const file = new Representation(bytes, { type, ...keptFor(path, bytes), effort: 5 });
    // Opening the page waits for most of it.
    file.prepare();
    files.set(path === "/index.html" ? "/" : path, file);
  }
  if (!files.has("/")) throw new Error(`\`${root}\` has no index.html; \`npm run build\` makes the page`);
  return files;
}

/** Built files have a hash of their content in their name. */
function keptFor(path: string, bytes: Uint8Array) {
  const version = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const isHashed = /^\/assets\/.*-[\w-]{8,}\.\w+$/.test(path);
  return { version, cache: isHashed ? "public, max-age=31536000, immutable" : "no-cache" } as const;
}
